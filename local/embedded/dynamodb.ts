import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ConchError, SettingsError } from '../../lib/domain/errors.ts';
import { startDynalite } from './dynalite.ts';
import { startLocked } from './lock.ts';
import { freePort, LOOPBACK } from './ports.ts';

/** A DynamoDB that runs as long as this process. */
export interface EmbeddedDynamo {
  endpoint: string;
  /** Which program it is. */
  program: 'dynoxide' | 'dynalite';
  /** Ends it once everything is on disk. */
  stop(): Promise<void>;
}

const START_LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 5_000;
const POLL_MS = 10;

/**
 * Runs "$@" and ends it when standard input closes, which the system does for us however this process ends. The program
 * itself does not look at its input.
 */
const SUPERVISOR = [
  'exec 3<&0',
  '"$@" </dev/null 3<&- & child=$!',
  '(while read -r _; do :; done; kill "$child") <&3 2>/dev/null & watcher=$!',
  'exec 3<&-',
  'wait "$child"; status=$?',
  'kill "$watcher" 2>/dev/null',
  'exit "$status"',
].join('\n');

function dynoxidePath(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve('@dynoxide/linux-x64/package.json');
    const binary = join(dirname(manifest), 'dynoxide');
    return process.platform === 'linux' && process.arch === 'x64' && existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

/** A process of its own group, so that Ctrl-C in a terminal reaches only us and we end it last. */
function start(binary: string, args: string[]): { child: ChildProcess; said: () => string } {
  const child = spawn('/bin/sh', ['-c', SUPERVISOR, 'sh', binary, ...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(-2_000);
  });
  return { child, said: () => stderr.trim() };
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(1_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

async function untilReady(endpoint: string, child: ChildProcess, said: () => string): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new SettingsError(`The embedded DynamoDB did not start: ${said()}`);
    if (await answers(endpoint)) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new ConchError('embedded-dynamodb', `The embedded DynamoDB did not answer in time: ${said()}`);
}

/** Closing the input ends the program; the group is killed if it does not end in time. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const group = -child.pid;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const timer = setTimeout(() => process.kill(group, 'SIGKILL'), STOP_LIMIT_MS);
  child.stdin?.end();
  await ended;
  clearTimeout(timer);
}

async function startDynoxide(binary: string, wanted: number, directory: string): Promise<EmbeddedDynamo> {
  const port = await freePort(wanted);
  const path = join(directory, 'dynamodb.sqlite');
  const args = ['serve', '--host', LOOPBACK, '--port', String(port), '--db-path', path];
  const { child, said } = start(binary, args);
  const endpoint = `http://${LOOPBACK}:${port}`;
  try {
    await untilReady(endpoint, child, said);
  } catch (error) {
    await stop(child);
    throw error;
  }
  return { endpoint, program: 'dynoxide', stop: () => stop(child) };
}

async function startProgram(port: number, directory: string): Promise<EmbeddedDynamo> {
  const binary = dynoxidePath();
  if (binary) return startDynoxide(binary, port, directory);
  return { program: 'dynalite', ...(await startDynalite({ port, path: join(directory, 'dynalite') })) };
}

/**
 * Starts an embedded DynamoDB: dynoxide where its binary is installed, else dynalite in this process.
 * @param options `port` 0 for a free one; `dataDir` is made if it is not there.
 * @throws {SettingsError} if the port is taken, or the directory or what is in it cannot be used.
 */
export function startEmbeddedDynamo(options: { port: number; dataDir: string }): Promise<EmbeddedDynamo> {
  return startLocked(options.dataDir, (directory) => startProgram(options.port, directory));
}
