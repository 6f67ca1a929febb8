/**
 * Which addresses a channel's `apiRoot` may have (DESIGN 6): https addresses whose origin is on the deployment's list.
 * @param list origins separated by commas; `*` allows any address, also http, as on one's own machine. Absent: none.
 */
export function apiRootPolicy(list: string | undefined): (url: URL) => boolean {
  if (list?.trim() === '*') return () => true;
  const origins = new Set((list ?? '').split(',').flatMap((entry) => originOf(entry.trim())));
  return (url) => url.protocol === 'https:' && origins.has(url.origin);
}

function originOf(entry: string): string[] {
  return URL.canParse(entry) ? [new URL(entry).origin] : [];
}
