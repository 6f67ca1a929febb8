import { callApi } from './api.ts';
import { type Arguments, allowOptions } from './arguments.ts';
import type { Connection } from './connection.ts';
import { usage } from './failure.ts';
import { asTyped } from './fieldNames.ts';
import { type Folder, type Pushed, readFolder } from './folder.ts';
import { type MenuReport, menuLines } from './menuLines.ts';
import { plainText } from './show.ts';

/** Longest request, UTF-16 units of JSON: the API takes a megabyte, and a unit has three bytes at most. */
const PART_CHARS = 300_000;

interface Named {
  name: string;
  reason: string;
}

/** What the API answers, all parts together. */
interface Report {
  stored: string[];
  unchanged: string[];
  removed: string[];
  refused: Named[];
  unreachable: Named[];
  menus: MenuReport[];
}

/** What a push prints, and whether one was bad. */
export interface PushResult {
  text: string;
  failed: boolean;
}

/** Whether these words are `commands push DIR` or `skills push DIR`. */
export function isPush([thing, verb]: readonly string[]): boolean {
  return (thing === 'commands' || thing === 'skills') && verb === 'push';
}

/** Makes a tenant's custom commands, or skills, those of a folder (SPEC 10.1, 10.4). */
export async function push(args: Arguments, connection: Connection, tenant: string): Promise<PushResult> {
  const [thing, , dir, ...more] = args.words;
  const pushed = thing as Pushed;
  if (!dir || more.length > 0) throw usage(`Write: conch ${pushed} push DIR`);
  allowOptions(args, ['url', 'tenant']);
  const folder = readFolder(pushed, dir);
  if (!folder) return { text: `There is no folder of ${pushed} in ${dir}; nothing was changed.`, failed: false };
  const path = `/v1/tenants/${encodeURIComponent(tenant)}/${pushed}`;
  const put = (body: unknown) => callApi(connection, { method: 'PUT', path, body }, (field) => asTyped(field, args));
  const report = await pushParts(pushed, folder, put as (body: unknown) => Promise<Report>);
  const text = args.flags.has('json') ? JSON.stringify(report, undefined, 2) : lines(pushed, report).join('\n');
  return { text, failed: report.refused.length > 0 };
}

/** Sends a folder in parts, each with the names of all others, so that none of them is removed. */
async function pushParts(
  pushed: Pushed,
  { good, bad }: Folder,
  put: (body: unknown) => Promise<Report>,
): Promise<Report> {
  const names = [...good.keys(), ...bad.keys()];
  const refused = [...bad].map(([name, reason]) => ({ name, reason }));
  const all: Report = { stored: [], unchanged: [], removed: [], refused, unreachable: [], menus: [] };
  for (const part of partsOf(good)) {
    const one = await put({ [pushed]: Object.fromEntries(part), keep: names.filter((name) => !part.has(name)) });
    for (const key of ['stored', 'unchanged', 'removed'] as const) all[key].push(...one[key]);
    all.refused.push(...one.refused);
    Object.assign(all, { unreachable: one.unreachable, menus: one.menus ?? [] });
  }
  return all;
}

/** At least one part, since an empty folder removes what there was. */
function partsOf(good: Folder['good']): Folder['good'][] {
  let part: Folder['good'] = new Map();
  const parts = [part];
  let size = 0;
  for (const [name, body] of good) {
    const chars = JSON.stringify(body).length;
    if (size > 0 && size + chars > PART_CHARS) {
      part = new Map();
      parts.push(part);
      size = 0;
    }
    part.set(name, body);
    size += chars;
  }
  return parts;
}

function lines(pushed: Pushed, report: Report): string[] {
  const { stored, unchanged, removed, refused, unreachable, menus } = report;
  const noun = (n: number) => `${n} ${n === 1 ? pushed.slice(0, -1) : pushed}`;
  const named = (what: string, names: string[]) =>
    names.length === 0 ? [] : [`${noun(names.length)} ${what}: ${names.join(', ')}`];
  const reasons = (what: string, those: Named[]) =>
    those.length === 0
      ? []
      : [`${noun(those.length)} ${what}:`, ...those.map(({ name, reason }) => `  ${name}: ${reason}`)];
  const all = [
    ...named('stored', stored),
    ...(unchanged.length === 0 ? [] : [`${noun(unchanged.length)} as before`]),
    ...named('removed', removed),
    ...reasons('refused', refused),
    ...reasons('that cannot be reached', unreachable),
    ...menuLines(menus),
  ];
  return all.length === 0 ? ['Nothing was changed.'] : all.map(plainText);
}
