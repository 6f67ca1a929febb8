/** The size of a text in JSON, UTF-8 bytes, without its quotation marks. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** Without the first half of a surrogate pair at its end. */
export function withoutHalf(text: string): string {
  return /[\ud800-\udbff]$/u.test(text) ? text.slice(0, -1) : text;
}

/** The text's beginning, at most `chars` UTF-16 units and `bytes` as JSON. */
export function beginningOf(text: string, { chars = text.length, bytes }: { chars?: number; bytes: number }): string {
  let part = withoutHalf(text.slice(0, chars));
  for (let size = jsonBytes(part); size > Math.max(0, bytes); size = jsonBytes(part)) {
    part = withoutHalf(part.slice(0, Math.floor((part.length * Math.max(0, bytes)) / size)));
  }
  return part;
}
