import type { Base } from '../domain/decide.ts';
import type { Draft } from '../domain/events.ts';
import { remembers } from '../domain/ring.ts';
import type { State } from '../domain/state.ts';
import type { IncomingMessage } from '../ports/chatApp.ts';
import { isNewest, type TypedChoice } from './choices.ts';
import { type Route, route } from './route.ts';
import type { Scene } from './scene.ts';

/** A message that is ours, and what it is on the state in force. */
export interface Heard {
  scene: Scene;
  message: IncomingMessage;
  state: State;
  way: Route;
  base: Base;
  picked: TypedChoice | undefined;
}

/** Whether they hear that they are not let in, and nothing else (SPEC 9.3). */
export function isOfStranger(way: Route): boolean {
  return way.kind === 'notice' && way.notice === 'not-let-in';
}

/** Picks the choice while nothing came after the event that showed it: then it is the bot's last message (SPEC 11.4). */
export function pickOr(
  { item, doing }: TypedChoice,
  base: Base,
  otherwise: (state: State) => Draft,
): (state: State) => Draft {
  const { command: _none, ...rest } = base;
  const picking: Base = {
    ...rest,
    action: item.id,
    ...(doing.command === undefined ? {} : { command: doing.command }),
  };
  return (state) => (isNewest(item, state) ? doing.decide(state, picking) : otherwise(state));
}

/** Who answers the bot's last message to them speaks to it, in a group too; so does that answer when it comes again. */
export function answering(
  scene: Scene,
  state: State,
  message: IncomingMessage,
  picked: TypedChoice | undefined,
): Route {
  const isAnswer = picked !== undefined || remembers(state.ring, message.key);
  return isAnswer ? route({ ...message, addressed: true }, scene.asker, scene.tenant) : { kind: 'silence' };
}

/** What each event of this message holds. */
export function baseOf(message: IncomingMessage, way: Route): Base {
  const { key, update, sentAt, person, to } = message;
  const command = way.kind === 'command' ? way.command.name : way.kind === 'notice' ? way.notice : undefined;
  return { delivery: { key, update, sentAt }, person, to, ...(command === undefined ? {} : { command }) };
}
