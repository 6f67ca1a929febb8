/**
 * What people read of a message's content, by the rules of Discord's clients: what is formatting is taken away, what is
 * a mention, an emoji or a time is shown as `⟨…⟩`, so that it meets no text that was meant as it stands.
 */

type Rule = { pattern: RegExp; atLineStart?: true; show(match: RegExpExecArray): string };

const unticked = (code: string) => code.replace(/^ (?= *`)|(` *) $/g, '$1');

const RULES: readonly Rule[] = [
  { pattern: /^```(?:[a-z0-9_+\-.#]+?\n)?\n*([^\n][\s\S]*?)\n*```/i, show: (match) => match[1] ?? '' },
  { pattern: /^ *>>> ([\s\S]*)/, atLineStart: true, show: (match) => shownText(match[1] ?? '') },
  {
    pattern: /^(?: *> [^\n]*(?:\n|$))+/,
    atLineStart: true,
    show: (match) => `${shownText(match[0].replace(/^ *> /gm, '').replace(/\n$/, ''))}\n`,
  },
  { pattern: /^ *#{1,3}\s+([^\n]+)/, atLineStart: true, show: (match) => shownText(match[1] ?? '') },
  { pattern: /^-# +([^\n]+)/, atLineStart: true, show: (match) => shownText(match[1] ?? '') },
  { pattern: /^\s*[-*] +/, atLineStart: true, show: () => '⟨bullet⟩' },
  { pattern: /^\\([^0-9A-Za-z\s])/, show: (match) => match[1] ?? '' },
  { pattern: /^<(https?:\/\/[^\s<>]+)>/, show: (match) => match[1] ?? '' },
  { pattern: /^<(?:@[!&]?|#|a?:\w+:|t:|id:|\/)[^>\s]*>/, show: () => '⟨mention⟩' },
  { pattern: /^@(?:everyone|here)/, show: () => '⟨everybody⟩' },
  { pattern: /^(`+)([\s\S]*?[^`])\1(?!`)/, show: (match) => unticked(match[2] ?? '') },
  { pattern: /^\[((?:\\.|[^[\]\\])*)\]\(<(https?:\/\/[^\s<>]+)>\)/, show: (match) => shownText(match[1] ?? '') },
  { pattern: /^https?:\/\/[^\s<]+[^<.,:;"')\]\s]/, show: (match) => match[0] },
  { pattern: /^:[\w+-]+:/, show: () => '⟨emoji⟩' },
  { pattern: /^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/, show: (match) => shownText(match[1] ?? '') },
  { pattern: /^__((?:\\[\s\S]|[^\\])+?)__(?!_)/, show: (match) => `⟨${shownText(match[1] ?? '')}⟩` },
  { pattern: /^~~([\s\S]+?)~~(?!_)/, show: (match) => shownText(match[1] ?? '') },
  { pattern: /^\|\|([\s\S]+?)\|\|/, show: (match) => `⟨${shownText(match[1] ?? '')}⟩` },
  {
    pattern: /^\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/,
    show: (match) => shownText(match[1] ?? ''),
  },
  { pattern: /^_((?:__|\\[\s\S]|[^\\_])+?)_\b/, show: (match) => `⟨${shownText(match[1] ?? '')}⟩` },
];

/** The words that a content shows. */
export function shownText(content: string): string {
  let shown = '';
  let at = 0;
  while (at < content.length) {
    const rest = content.slice(at);
    const isLineStart = at === 0 || content[at - 1] === '\n';
    const [rule, match] = ruleFor(rest, isLineStart);
    shown += rule && match ? rule.show(match) : rest[0];
    at += match?.[0].length || 1;
  }
  return shown;
}

function ruleFor(rest: string, isLineStart: boolean): [Rule?, RegExpExecArray?] {
  // Most characters begin nothing.
  if (!isLineStart && !/^[\\`<@[h:*_~|]/.test(rest)) return [];
  for (const rule of RULES) {
    if (rule.atLineStart && !isLineStart) continue;
    const match = rule.pattern.exec(rest);
    if (match) return [rule, match];
  }
  return [];
}
