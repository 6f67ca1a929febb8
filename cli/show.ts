/** The text without control characters, which could rule the terminal. */
export function plainText(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '');
}

/** A value in one line: times to the second, lists with commas, nothing for what is empty. */
function cell(value: unknown, name = ''): string {
  if (typeof value === 'number' && /(^at|At)$/.test(name))
    return new Date(value).toISOString().slice(0, 19).replace('T', ' ');
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return cell(value.join(', '));
  if (isEmpty(value)) return '';
  if (isArgument(value)) return value.hint ?? '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return plainText(text).replace(/\s+/g, ' ');
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (isRecord(value) && Object.keys(value).length === 0);
}

/** What a command takes: shown by its hint. */
function isArgument(value: unknown): value is { kind: string; hint?: string } {
  return isRecord(value) && typeof value.kind === 'string' && ['string', 'undefined'].includes(typeof value.hint);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Rows under the names of their fields, in columns. */
function table(rows: Record<string, unknown>[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name], name)))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function listing(record: Record<string, unknown>): string {
  const width = Math.max(0, ...Object.keys(record).map((name) => name.length));
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(width)}  ${cell(value, name)}`.trimEnd())
    .join('\n');
}

/** An answer of the API for a person to read. */
export function shown(value: unknown): string {
  if (Array.isArray(value))
    return value.length === 0 ? 'None.' : table(value.map((row) => (isRecord(row) ? row : { value: row })));
  if (isRecord(value)) return Object.keys(value).length === 0 ? 'Nothing is set.' : listing(value);
  return cell(value);
}
