/**
 * How a link is shown (SPEC 13.4). `linked`: the label leads to `url`. `spelled`: the label stands as plain text and
 * `shown` behind it says where it leads, itself a link if `url` is given. `label`: just the words.
 */
export type LinkView =
  | { kind: 'linked'; url: string }
  | { kind: 'spelled'; shown: string; url?: string }
  | { kind: 'label' };

/** The time to look through a label grows with the square of its length. */
const LABEL_LIMIT_CHARS = 2_000;

const LOOKS_LIKE_ADDRESS = /:\/\/|(?:[\p{L}\p{N}_-]+[.。．｡])+\p{L}{2,}/u;

/** @param label what people read, without formatting. */
export function linkView(label: string, target: string): LinkView {
  const words = label.replace(/[\p{Cf}\s]+/gu, '');
  if (/^mailto:/i.test(target)) {
    const address = target.slice('mailto:'.length);
    return words === address || words === target ? { kind: 'label' } : { kind: 'spelled', shown: address };
  }
  if (/^data:/i.test(target)) return { kind: 'label' };
  const url = webAddress(target);
  if (!url) return words === target || !target ? { kind: 'label' } : { kind: 'spelled', shown: target };
  const spelled = { kind: 'spelled', shown: url.href, url: url.href } as const;
  if (words.length > LABEL_LIMIT_CHARS) return spelled;
  if (!LOOKS_LIKE_ADDRESS.test(words) || hostOf(words) === bare(url.host)) return { kind: 'linked', url: url.href };
  return spelled;
}

/** The address if it is of the web and names nobody in front of the host, which would look like another host. */
function webAddress(target: string): URL | undefined {
  const url = URL.parse(target);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  return url && isWeb && !url.username && !url.password ? url : undefined;
}

/** The host that a label seems to name, in the form that `URL` gives. */
function hostOf(words: string): string | undefined {
  const url = URL.parse(/^https?:\/\//i.test(words) ? words : `https://${words}`);
  return url && !url.username ? bare(url.host) : undefined;
}

function bare(host: string): string {
  return host.replace(/^www\./, '');
}

/** A character as an address spells it. */
export function percentEncoded(char: string): string {
  return [...Buffer.from(char)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
