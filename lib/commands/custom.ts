import type { Content } from '../domain/events.ts';
import type { CommandRecord, SkillRecord } from '../ports/tenants.ts';

const PLACEHOLDER = /(\\?)\{\{(args|prompt)\}\}/gu;

/** What a template comes to, piece by piece, so that its length is known before it is put together. */
function pieces(template: string, args: string): string[] {
  const found: string[] = [];
  let [end, filledIn] = [0, false];
  for (const match of template.matchAll(PLACEHOLDER)) {
    const isLiteral = match[1] !== '';
    filledIn ||= !isLiteral;
    found.push(template.slice(end, match.index), isLiteral ? match[0].slice(1) : args);
    end = match.index + match[0].length;
  }
  found.push(template.slice(end));
  if (filledIn || args === '') return found;
  return [...found, template.endsWith('\n') ? '---\n' : '\n---\n', args];
}

/**
 * Fills a custom command's template in (SPEC 10.2), in one pass: the argument text takes the place of every `{{args}}`
 * and `{{prompt}}` and is not read again; without a placeholder it follows behind a line `---`. `\{{args}}` is the
 * placeholder itself.
 */
export function expandCustom(template: string, args: string): string {
  return pieces(template, args).join('');
}

/** How long the expansion is, UTF-16 units, without making it: a short template may name the argument a thousand times. */
export function expandedLength(template: string, args: string): number {
  return pieces(template, args).reduce((sum, piece) => sum + piece.length, 0);
}

/** A message that a template or a skill was put into: the model reads `text`, people see what was typed (SPEC 10.3). */
export interface Filled {
  text: string;
  command: NonNullable<Content['command']>;
}

/** What a custom command sends. @param typed as the person wrote it. */
export function filledCommand({ name, template }: CommandRecord, typed: string, args: string): Filled {
  return { text: expandCustom(template, args), command: { name, display: typed } };
}

/** What a typed skill sends (SPEC 4.5, 10.4): the words as typed, behind the skill's text. */
export function filledSkill({ name, text }: SkillRecord, typed: string): Filled {
  return {
    text: `For this message, follow the skill “${name}”:\n\n<skill>\n${text.trim()}\n</skill>\n\n${typed}`,
    command: { name, display: typed },
  };
}
