import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { BUNDLING, bundleFunction, FUNCTIONS, PROJECT } from '../../infra/bundling.ts';
import { ENVIRONMENT } from '../bundles/bundled.ts';
import type { Row } from './marks.ts';
import { figure, type Plan, race } from './measure.ts';

const PLAN: Plan = { warmUp: 1, rounds: 3, perRound: 3 };

/** What every webhook needs at the least: an HTTP framework and the two clients. */
const LEAST = `
import { DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
const clients = [new DynamoDBClient({}), new SQSClient({})];
const app = new Hono();
app.post('/', (c) => c.json([clients.length, PutItemCommand.name, QueryCommand.name, SendMessageCommand.name]));
export const handler = handle(app);
`;

/** Imports a bundle in a process of its own and prints how long that took, in ms. */
const TIMED_IMPORT = `
const start = performance.now();
await import(process.argv[1]);
console.log(performance.now() - start);
process.exit(0);
`;

async function importMs(bundle: string): Promise<number> {
  const args = ['--input-type=module', '-e', TIMED_IMPORT, join(bundle, 'index.mjs')];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...ENVIRONMENT } });
  return Number(stdout);
}

function bytesOf(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function bundleLeast(directory: string, outdir: string): void {
  const source = join(directory, 'least.js');
  writeFileSync(source, LEAST);
  const entryPoints = [{ in: source, out: 'index' }];
  buildSync({ ...BUNDLING, nodePaths: [join(PROJECT, 'node_modules')], entryPoints, outdir });
}

/** The size of each function's bundle and how long its import takes, against the least that a webhook needs. */
export async function measureBundles(): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'conch-bundles-'));
  const outdir = (name: string) => join(directory, name);
  try {
    bundleLeast(directory, outdir('least'));
    for (const name of FUNCTIONS) bundleFunction(name, outdir(name));
    const names = ['least', ...FUNCTIONS];
    const contestants = Object.fromEntries(names.map((name) => [name, () => importMs(outdir(name))]));
    const rounds = await race(contestants, PLAN);
    const floor = bytesOf(outdir('least'));
    return FUNCTIONS.flatMap((name): Row[] => {
      const ours = bytesOf(outdir(name));
      return [
        { name: `bundle.${name}.bytes`, unit: 'bytes', ours, floor, ratio: ours / floor },
        { name: `bundle.${name}.import`, unit: 'ms', ...figure(rounds, name, 'least') },
      ];
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
