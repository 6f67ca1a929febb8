import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, describe, expect, test } from 'vitest';
import { BUNDLING, FUNCTIONS, type FunctionName } from '../../infra/bundling.ts';
import { APP_NAMES } from '../../lib/ports/tenants.ts';
import { bundleAll, bytesOf, ENVIRONMENT, filesAtStart, sourcesOf } from './bundled.ts';

const bundles = bundleAll();
const temporary = mkdtempSync(join(tmpdir(), 'conch-contents-'));

afterAll(() => {
  bundles.remove();
  rmSync(temporary, { recursive: true, force: true });
});

function metafileOf(name: FunctionName) {
  const metafile = bundles.metafiles.get(name);
  if (!metafile) throw new Error(`There is no bundle of ${name}`);
  return metafile;
}

const sources = (name: FunctionName) => sourcesOf(metafileOf(name));
const atStart = (name: FunctionName) => sourcesOf(metafileOf(name), filesAtStart(metafileOf(name)));

const LLM = /node_modules\/(ai|@ai-sdk|@vercel)\/|lib\/providers\/(aiSdk|anthropic|openai|google|bedrock|demo)/u;
/** The client of tool servers, and what it is built on. */
const MCP = /node_modules\/@ai-sdk\/(mcp|provider|provider-utils)\//u;
const TOOLS =
  /node_modules\/(aws-cdk-lib|constructs|cdk-nag|esbuild|fauxqs|dynalite|vitest)\/|^(infra|local|test|cli)\//u;

/** What a webhook's bundle may hold of chat apps: its own. */
const OTHER_APPS: Record<(typeof APP_NAMES)[number], RegExp> = {
  telegram: /lib\/channels\/(?!telegram\/|shared\/)|@slack|discord/u,
  discord: /lib\/channels\/(?!discord\/|shared\/)|node_modules\/(grammy|discord)|slack/u,
  slack: /lib\/channels\/(?!slack\/|shared\/)|node_modules\/(grammy|@slack)|discord/u,
  teams: /lib\/channels\/(?!teams\/|shared\/)|node_modules\/grammy|@slack|discord/u,
  text: /lib\/channels\/(?!text\/|shared\/)|node_modules\/grammy|@slack|discord/u,
};

describe('a bundle holds what its function needs', () => {
  test.each(APP_NAMES)('DESIGN 5: the webhook of %s has no other app’s code', (name) => {
    expect(sources(name).filter((path) => OTHER_APPS[name].test(path))).toEqual([]);
    expect(sources(name)).toContain(`lib/channels/${name}/verify.ts`);
  });

  test.each(FUNCTIONS.filter((name) => name !== 'worker'))('DESIGN 5: %s has no code of models', (name) => {
    const isTools = (path: string) => name === 'admin' && MCP.test(path);
    expect(sources(name).filter((path) => LLM.test(path) && !isTools(path))).toEqual([]);
  });

  test.each(FUNCTIONS)('DESIGN 5: %s speaks to tool servers only if it has to, and by what it imports then', (name) => {
    const speaks = name === 'worker' || name === 'admin';
    expect(sources(name).includes('lib/tools/session.ts')).toBe(speaks);
    if (!speaks) expect(sources(name).filter((path) => path.startsWith('lib/tools/'))).toEqual([]);
    const atOnce = /^lib\/tools\/(session|guardedFetch|refresh|catalog)\.ts$|@ai-sdk\/mcp\//u;
    expect(atStart(name).filter((path) => atOnce.test(path))).toEqual([]);
  });

  test.each(FUNCTIONS)('%s has no code of tools, tests and the local run', (name) => {
    expect(sources(name).filter((path) => TOOLS.test(path))).toEqual([]);
  });

  test('DESIGN 5: the worker has every engine, and reads none of them at its start', () => {
    expect(sources('worker').filter((path) => LLM.test(path))).toContain('lib/providers/bedrock.ts');
    expect(atStart('worker').filter((path) => LLM.test(path))).toEqual([]);
  });

  test.each(['deadLetters', 'sweeper'] as const)('%s cannot open secrets', (name) => {
    expect(sources(name).filter((path) => /client-kms|Secrets\.ts/u.test(path))).toEqual([]);
  });
});

/** Bundles code as functions are. */
function bundle(contents: string) {
  const stdin = { contents, resolveDir: BUNDLING.absWorkingDir, loader: 'ts' as const };
  return buildSync({ ...BUNDLING, stdin, outdir: temporary });
}

/** What a webhook cannot do without: an HTTP router, and the clients of the table and the queue. */
const REFERENCE = `
  import { DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
  import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
  export { Hono } from 'hono';
  export { handle } from 'hono/aws-lambda';
  export const clients = [DynamoDBClient, PutItemCommand, QueryCommand, SendMessageCommand, SQSClient];
`;

describe('sizes', () => {
  test('a webhook reads at most 1.5 times what hono and the two AWS clients are', () => {
    const reference = bytesOf(bundle(REFERENCE).metafile);
    const sizes = Object.fromEntries(FUNCTIONS.map((name) => [name, bytesOf(metafileOf(name))]));
    console.info(JSON.stringify({ reference, ...sizes }));
    for (const name of APP_NAMES) expect(sizes[name]?.atStart, name).toBeLessThan(1.5 * reference.total);
  });
});

/** What a bundle of this code prints when Node runs it. */
function printed(contents: string): string {
  bundle(contents);
  return execFileSync(process.execPath, [join(temporary, 'stdin.mjs')], { encoding: 'utf8' }).trim();
}

test.each(APP_NAMES)('the webhook of %s starts without a web framework and what `fetch` would load', (name) => {
  const path = join(bundles.folder(name), 'index.mjs');
  const code = `await import(${JSON.stringify(path)}); console.log(process.moduleLoadList.join(';')); process.exit(0);`;
  const env = { ...process.env, ...ENVIRONMENT };
  const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8', env });
  expect(loaded).toContain('NativeModule https');
  expect(loaded).not.toContain('undici');
  expect(atStart(name).filter((source) => source.includes('node_modules/hono/'))).toEqual([]);
});

describe('the settings', () => {
  test('CommonJS code that calls `require` works in a bundle', () => {
    const path = join(temporary, 'old.cjs');
    writeFileSync(path, "const path = require('node:path'); exports.joined = path.join('a', 'b');");
    expect(printed(`import { joined } from ${JSON.stringify(path)}; console.log(joined);`)).toBe('a/b');
  });

  test('the names of errors, which logs show, stay as they are written', () => {
    const code = "import { SettingsError } from './lib/domain/errors.ts'; console.log(new SettingsError('x').name);";
    expect(printed(code)).toBe('SettingsError');
  });
});
