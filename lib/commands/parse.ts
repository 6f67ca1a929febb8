import { BLANK } from '../domain/blank.ts';

/** A command as typed: the name without `/`, in the person's own spelling, and the argument text, trimmed. */
export interface ParsedCommand {
  name: string;
  args: string;
}

const LEADING = new RegExp(`^${BLANK}`, 'u');
const COMMAND = /^\/([\p{L}\p{M}\p{N}_:-]+)(?=\s|$)/u;

/**
 * Reads a message as a command (SPEC 3.1): `/`, a name, then white space or the end. Undefined for prose, such as
 * `/usr/bin/x`, `//` or `1/2`.
 */
export function parseChatCommand(text: string): ParsedCommand | undefined {
  const rest = text.replace(LEADING, '');
  const match = COMMAND.exec(rest);
  if (!match?.[1]) return undefined;
  return { name: match[1], args: rest.slice(match[0].length).trim() };
}

/** The form in which names are compared: case, and `-` or `_`, make no difference (SPEC 3.1). */
export function nameKey(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}
