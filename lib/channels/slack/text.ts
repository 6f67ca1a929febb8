/** A thing between angle brackets, as Slack writes links, people and channels into a text. */
const SPECIAL = /<([^<>|]+)(?:\|([^<>]*))?>/g;

const UNESCAPED: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** Slack's text as a person sees it: links, people and channels in words, `&lt;` as `<`, everything else as it came. */
export function shownText(text: string, bot?: { id?: string | undefined; username?: string | undefined }): string {
  let shown = '';
  let from = 0;
  for (const match of text.matchAll(SPECIAL)) {
    shown += unescaped(text.slice(from, match.index)) + specialWords(match[1] ?? '', match[2], bot);
    from = match.index + match[0].length;
  }
  return shown + unescaped(text.slice(from));
}

/** The three characters that Slack escapes, in one pass: `&amp;lt;` was typed as `&lt;`. */
export function unescaped(text: string): string {
  return text.replace(/&(?:lt|gt|amp);/g, (entity) => UNESCAPED[entity] ?? entity);
}

/** Text for Slack to show as it is: nobody is pinged, nothing is a link (SPEC 13.4). */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function specialWords(
  target: string,
  label: string | undefined,
  bot: { id?: string | undefined; username?: string | undefined } = {},
): string {
  const words = label === undefined ? undefined : unescaped(label);
  const rest = target.slice(1);
  if (target.startsWith('@')) return `@${words || (rest === bot.id && bot.username) || rest}`;
  if (target.startsWith('#')) return `#${words || rest}`;
  if (target.startsWith('!')) return words || `@${rest.split('^')[0]}`;
  return linkWords(unescaped(target), words);
}

/** An address that Slack made a link of by itself has itself as its label. */
function linkWords(url: string, label: string | undefined): string {
  if (!label || url === label) return url.replace(/^mailto:/, '');
  const isTyped =
    url === `mailto:${label}` || url.replace(/^https?:\/\//, '').replace(/\/$/, '') === label.replace(/\/$/, '');
  return isTyped ? label : `${label} (${url})`;
}
