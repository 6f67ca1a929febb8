import { once } from 'node:events';
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { callForText } from './api.ts';
import { type Arguments, allowOptions } from './arguments.ts';
import type { Connection } from './connection.ts';
import { Failure, usage } from './failure.ts';

/** Whether these words are `export tenant NAME` or `export data CHANNEL PERSON`. */
export function isExport([verb]: readonly string[]): boolean {
  return verb === 'export';
}

/** Takes what is exported, in order. */
type Write = (text: string) => Promise<void> | void;

/**
 * Exports a tenant, or a person's data on a channel, as JSON lines (SPEC 14.1): to a file, which is there only when it is
 * whole, or to the output.
 * @returns what to print.
 * @throws {Failure} if the export broke off.
 */
export async function exportLines(args: Arguments, connection: Connection, tenant: string): Promise<string> {
  allowOptions(args, ['url', 'tenant', 'file']);
  const path = pathOf(args.words, tenant);
  const { file } = args.options;
  if (file === undefined) {
    await pages(connection, path, toOutput);
    return '';
  }
  const part = `${file}.part`;
  const open = opened(part);
  try {
    const lines = await pages(connection, path, (text) => void writeSync(open, text));
    closeSync(open);
    renameSync(part, file);
    return `${lines} lines are in ${file}.`;
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

function pathOf([, thing, ...names]: readonly string[], tenant: string): string {
  const [first = '', second = '', ...more] = names.map((name) => encodeURIComponent(name));
  if (thing === 'tenant' && first !== '' && names.length === 1) return `/v1/tenants/${first}/export`;
  if (thing === 'data' && first !== '' && second !== '' && more.length === 0) {
    return `/v1/tenants/${encodeURIComponent(tenant)}/channels/${first}/people/${second}/data`;
  }
  throw usage('Write: conch export tenant NAME, or conch export data CHANNEL PERSON');
}

/** It holds what people wrote: for whoever exports it alone. */
function opened(file: string): number {
  try {
    return openSync(file, 'w', 0o600);
  } catch {
    throw new Failure(`The file ${file} cannot be written.`);
  }
}

/** Writes page after page. @returns how many lines. */
async function pages(connection: Connection, path: string, write: Write): Promise<number> {
  let count = 0;
  for (let query = ''; ; ) {
    const text = await callForText(connection, { method: 'GET', path: `${path}${query}` });
    const lines = text.split('\n').slice(0, -1);
    const last = lastLine(lines.pop());
    if (lines.length > 0) await write(`${lines.join('\n')}\n`);
    count += lines.length;
    if (last.kind === 'end') return count;
    query = `?after=${encodeURIComponent(last.after)}`;
  }
}

/** @throws {Failure} if the page has no end: then it is not known what is missing. */
function lastLine(line = ''): { kind: 'end' } | { kind: 'more'; after: string } {
  try {
    const last = JSON.parse(line) as { kind?: unknown; after?: unknown };
    if (last.kind === 'end') return { kind: 'end' };
    if (last.kind === 'more' && typeof last.after === 'string') return { kind: 'more', after: last.after };
  } catch {
    // as below
  }
  throw new Failure('The export broke off. Do it again.');
}

async function toOutput(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
