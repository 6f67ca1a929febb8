import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Hono } from 'hono';

const BIN = fileURLToPath(new URL('../../cli/conch.mjs', import.meta.url));

export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the command line as a person would, with this environment and input. */
export function conch(
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string; cwd?: string } = {},
) {
  const env = { PATH: process.env.PATH ?? '', CONCH_DATA: '/nowhere', ...options.env };
  const child = spawn(process.execPath, [BIN, ...args], { env, cwd: options.cwd });
  const run: Run = { code: null, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    run.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    run.stderr += chunk;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  const done = new Promise<Run>((resolve) => child.on('close', (code) => resolve({ ...run, code })));
  return Object.assign(done, { child });
}

async function answer(app: Hono, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = Buffer.concat(await incoming.toArray());
  const headers = new Headers(incoming.headers as Record<string, string>);
  const init = { method: incoming.method ?? 'GET', headers, ...(body.length > 0 ? { body } : {}) };
  const response = await app.request(incoming.url ?? '/', init);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

/** Serves an app on a free port. */
export async function listen(app: Hono): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => void answer(app, incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** An address where nobody listens. */
export async function deadUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
