/** A text file in two parts: the fields between its first lines `---`, and the rest. */
export interface FrontMatter {
  fields: Record<string, string>;
  text: string;
}

const FENCED = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\r?\n|$)/u;

/**
 * Reads a file with front matter: `name: value` lines, values in quotation marks or without, over several lines if the
 * further ones are indented, also behind `>` or `|`. What else YAML has is kept as it is written.
 * @returns undefined if the file does not begin with front matter.
 */
export function readFrontMatter(file: string): FrontMatter | undefined {
  const match = FENCED.exec(file);
  if (!match) return undefined;
  const fields: Record<string, string> = {};
  for (const [name, lines] of fieldLines(match[1] ?? '')) fields[name] = fieldValue(lines);
  return { fields, text: file.slice(match[0].length).replace(/^\s*\n/u, '') };
}

/** Each field with its lines: the one with its name, and the indented ones below. */
function fieldLines(head: string): [string, string[]][] {
  const fields: [string, string[]][] = [];
  for (const line of head.split(/\r?\n/u)) {
    const [, name, value] = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/u.exec(line) ?? [];
    if (name !== undefined) fields.push([name, [(value ?? '').trim()]]);
    else if (/^\s/u.test(line) || line === '') fields.at(-1)?.[1].push(line.trim());
  }
  return fields;
}

function fieldValue([first = '', ...more]: string[]): string {
  const kept = first.startsWith('|');
  const lines = /^[|>][+-]?$/u.test(first) ? more : [first, ...more];
  return unquoted(lines.join(kept ? '\n' : ' ').trim());
}

function unquoted(value: string): string {
  if (/^'.*'$/su.test(value)) return value.slice(1, -1).replaceAll("''", "'");
  if (!/^".*"$/su.test(value)) return value.replace(/\s+#.*$/u, '');
  try {
    return JSON.parse(value) as string;
  } catch {
    return value.slice(1, -1);
  }
}
