import { isInGroup, isInThread, type PlaceRef } from '../domain/place.ts';
import type { Limits } from '../ports/chatApp.ts';

/** Writes a command as people have to write it, such as `/clear`, `/conch clear` or `!clear`. */
export type Slash = (name: string, args?: string) => string;

type Writing = Pick<Limits, 'commandPrefix' | 'threadPrefix' | 'hyphen'>;

/**
 * How commands are written at this place, in a form that the app makes a link of where it can (SPEC 12.1, 12.2).
 * @param isOutside what is said stands outside of the place's thread.
 */
export function slashIn(limits: Writing, place: PlaceRef, isOutside = false): Slash {
  const { commandPrefix, threadPrefix = commandPrefix } = limits;
  return slashWith(limits, isInThread(place) && !isOutside ? threadPrefix : commandPrefix);
}

/**
 * How commands are written in the threads of this group, where conversations are; undefined where this place is one, or where
 * the app makes no difference.
 */
export function slashInThreads(limits: Writing, place: PlaceRef): Slash | undefined {
  const { threadPrefix } = limits;
  if (threadPrefix === undefined || !isInGroup(place) || isInThread(place)) return undefined;
  return slashWith(limits, threadPrefix);
}

function slashWith({ hyphen = '-' }: Writing, prefix: string): Slash {
  return (name, args) => `${prefix}${name.replaceAll('-', hyphen)}${args ? ` ${args}` : ''}`;
}
