import { readFileSync } from 'node:fs';
import { administrate, DEFAULT_TENANT, isAdministration } from './administration.ts';
import { type Arguments, readArguments } from './arguments.ts';
import { chat } from './chat.ts';
import { readChatConnection, readConnection } from './connection.ts';
import { doctor } from './doctor.ts';
import { exportLines, isExport } from './export.ts';
import { Failure, usage } from './failure.ts';
import { HELP, helpAbout } from './help.ts';
import { isPush, push } from './push.ts';
import { createLineReader } from './secretInput.ts';
import { isTeamsPackage, writeTeamsPackage } from './teamsPackage.ts';

async function run(argv: readonly string[]): Promise<void> {
  const args = readArguments(argv);
  const [command = 'help', ...more] = args.words;
  if (args.flags.has('version') || command === 'version') return print(`conch ${version()}`);
  if (args.flags.has('help')) return print(helpFor(args.words));
  if (command === 'help') return print(more.length === 0 ? HELP.trimEnd() : helpWith(more));
  if (command === 'chat') return chat(args, readChatConnection(args.options, process.env));
  if (command === 'doctor') return examine(args);
  if (isPush(args.words)) return pushFolder(args);
  if (isExport(args.words)) return print(await exportAll(args));
  if (isTeamsPackage(args.words)) return print(await teamsPackage(args));
  if (!isAdministration(command)) throw usage(`There is no command “${command}”.`);
  const readLine = createLineReader();
  try {
    const connection = readConnection(args.options, process.env);
    print(await administrate(args, connection, { env: process.env, readLine }));
  } finally {
    readLine.close();
  }
}

/** What `--help` behind a command prints: behind its own words may stand names. */
function helpFor(words: readonly string[]): string {
  return helpAbout(words.slice(0, 2)) ?? helpAbout(words.slice(0, 1)) ?? HELP.trimEnd();
}

/** @throws {Failure} if no command has these words. */
function helpWith(words: readonly string[]): string {
  const text = helpAbout(words);
  if (text === undefined) throw usage(`There is no command “${words.join(' ')}”.`);
  return text;
}

function version(): string {
  const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(file) as { version: string }).version;
}

function tenantOf({ options }: Arguments): string {
  return options.tenant ?? (process.env.CONCH_TENANT || DEFAULT_TENANT);
}

function teamsPackage(args: Arguments): Promise<string> {
  return writeTeamsPackage(args, readConnection(args.options, process.env), tenantOf(args));
}

function exportAll(args: Arguments): Promise<string> {
  return exportLines(args, readConnection(args.options, process.env), tenantOf(args));
}

async function examine(args: Arguments): Promise<void> {
  if (args.words.length > 1) throw usage('Write: conch doctor --tenant NAME');
  const { text, failed } = await doctor(args, readConnection(args.options, process.env), tenantOf(args));
  print(text);
  if (failed) process.exitCode = 1;
}

async function pushFolder(args: Arguments): Promise<void> {
  const { text, failed } = await push(args, readConnection(args.options, process.env), tenantOf(args));
  print(text);
  if (failed) process.exitCode = 1;
}

function print(text: string): void {
  if (text !== '') process.stdout.write(`${text}\n`);
}

/** A reader that has gone away, such as `head`, is no failure. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await run(process.argv.slice(2));
} catch (error) {
  const failure = error instanceof Failure ? error : new Failure(`This was not expected: ${String(error)}`);
  process.stderr.write(`${failure.message}\n`);
  process.exitCode = failure.exitCode;
}
