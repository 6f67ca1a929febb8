import { type Asked, listIn, shortened, withoutSummary } from './demoRequest.ts';

const MAX_LINES = 40;
const MAX_FACTS = 40;
const MAX_FACTS_OF_ONE = 12;
/** As much of a message as is looked at. */
const MAX_CHARACTERS = 20_000;

const ASKS = /\bsummar(y|i[sz]e)|\bsum\b.{0,40}\bup\b/i;

/** Whether the request is one for a summary: its last words say so, or the beginning of its instructions. */
export function asksForSummary({ text, system }: Asked): boolean {
  return ASKS.test(text.slice(0, 500)) || ASKS.test(text.slice(-500)) || ASKS.test(system.slice(0, 200));
}

/**
 * A short summary of what the person said: each message on a line, of long ones the names and numbers of the rest as
 * well, and of what is too much for lines only those. A summary from before is carried on.
 */
export function demoSummary({ earlier, said, text, used }: Asked): string {
  const messages = earlier.length > 0 ? earlier : said.length > 1 ? said.slice(0, -1) : saidIn(text);
  const lines = messages.map(lineOf);
  const older = lines.slice(0, -MAX_LINES);
  const facts = factsIn(older.join('\n'), MAX_FACTS);
  return [
    'Summary of the conversation. The person said:\n',
    ...(facts.length > 0 ? [`- Before that, about: ${facts.join(', ')}`] : []),
    ...lines.slice(-MAX_LINES).map((line) => `- ${line}`),
    ...(used.length > 0 ? [`\nTools used: ${used.join(', ')}.`] : []),
  ].join('\n');
}

/** What the person said in a conversation that stands in the request itself, with the summary of what came before it. */
function saidIn(text: string): string[] {
  const whole = /<conversation>\n([\s\S]*)\n<\/conversation>/.exec(text);
  if (!whole) return [text];
  const messages = (whole[1] ?? '').split(/\n\n(?=(?:Person|Assistant|Tools): )/);
  const said = messages.flatMap((one) => {
    if (!one.startsWith('Person: ')) return [];
    const { summed, words } = withoutSummary(one.slice('Person: '.length).replaceAll(/^ {2}/gm, ''));
    return [...summed, ...(words === '' ? [] : [words])];
  });
  const kept = /^The person asks to keep in mind: (.*)$/m.exec(text.slice(whole.index + whole[0].length))?.[1];
  return [...listIn(text.slice(0, whole.index)), ...said, ...(kept ? [`Keep in mind: ${kept}`] : [])];
}

/** A message in one line. */
function lineOf(message: string): string {
  const short = shortened(message);
  if (!short.endsWith('…')) return short;
  const facts = factsIn(message.slice(short.length - 1), MAX_FACTS_OF_ONE).filter((fact) => !short.includes(fact));
  return facts.length > 0 ? `${short} (also: ${facts.join(', ')})` : short;
}

/** Names, as words with a capital, and numbers. */
function factsIn(text: string, most: number): string[] {
  const found = text.slice(0, MAX_CHARACTERS).match(/\p{Lu}[\p{L}\p{M}'’-]+|\d[\d.,:/-]*\d|\d/gu) ?? [];
  return [...new Set(found)].slice(-most);
}
