/** The few pages that somebody sees who installs an app. Everything in them is escaped, and nothing is fetched. */

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const STYLE = `body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1.5rem;color:#222;background:#fff}
@media(prefers-color-scheme:dark){body{color:#eee;background:#1b1b1b}a{color:#8ab4f8}}`;

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (char) => entities[char] ?? char);
}

/** What a page says: a heading, a paragraph, and a link where there is something to do. */
export interface PageText {
  title: string;
  words: string;
  again?: { href: string; label: string };
}

export function page(
  status: number,
  { title, words, again }: PageText,
  headers: Record<string, string> = {},
): Response {
  const link = again ? `<p><a href="${escaped(again.href)}">${escaped(again.label)}</a></p>` : '';
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style></head><body><h1>${escaped(title)}</h1><p>${escaped(words)}</p>${link}</body></html>`;
  return new Response(html, { status, headers: { ...HEADERS, ...headers } });
}
