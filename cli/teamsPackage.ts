import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callApi } from './api.ts';
import { type Arguments, allowOptions } from './arguments.ts';
import type { Connection } from './connection.ts';
import { Failure, usage } from './failure.ts';
import { asTyped } from './fieldNames.ts';
import { zip } from './zip.ts';

const ICONS = ['color.png', 'outline.png'];

/** Whether these words begin as `teams package CHANNEL` does. */
export function isTeamsPackage(words: readonly string[]): boolean {
  return /^teams( |$)/.test(words.join(' '));
}

/**
 * Writes the app package of a channel of Teams: its manifest and the icons, zipped, for an administrator of Teams to upload.
 * @returns what to print.
 * @throws {Failure} if the channel has none, or the file cannot be written.
 */
export async function writeTeamsPackage(args: Arguments, connection: Connection, tenant: string): Promise<string> {
  const [, verb, channel, ...more] = args.words;
  if (verb !== 'package' || !channel || more.length > 0)
    throw usage('Write: conch teams package CHANNEL [--file FILE]');
  allowOptions(args, ['url', 'tenant', 'file']);
  const path = `/v1/tenants/${encodeURIComponent(tenant)}/channels/${encodeURIComponent(channel)}/manifest?app=teams`;
  const manifest = await callApi(connection, { method: 'GET', path }, (field) => asTyped(field, args));
  const isTeams =
    typeof manifest === 'object' && manifest !== null && 'bots' in manifest && 'manifestVersion' in manifest;
  if (!isTeams) throw new Failure(`The channel ${channel} is none of Teams.`, 2);
  const icons = ICONS.map((name) => ({ name, bytes: readFileSync(join(import.meta.dirname, 'teams', name)) }));
  const bytes = Buffer.from(JSON.stringify(manifest, undefined, 2));
  const file = args.options.file ?? `${channel}.zip`;
  write(file, zip([{ name: 'manifest.json', bytes }, ...icons]));
  return `${file} is the app package. Upload it in Teams: Apps, Manage your apps, Upload an app.`;
}

function write(file: string, bytes: Uint8Array): void {
  try {
    writeFileSync(file, bytes);
  } catch {
    throw new Failure(`The file ${file} cannot be written.`, 2);
  }
}
