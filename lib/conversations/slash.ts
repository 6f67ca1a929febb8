import type { Limits } from '../ports/chatApp.ts';

/** A command as this app writes it, in a form that it makes a link of where it can (SPEC 12.1, 12.2). */
export function slashIn(
  { commandPrefix, hyphen = '-' }: Pick<Limits, 'commandPrefix' | 'hyphen'>,
  name: string,
  args?: string,
): string {
  return `${commandPrefix}${name.replaceAll('-', hyphen)}${args ? ` ${args}` : ''}`;
}
