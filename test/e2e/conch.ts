import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const ADMIN_TOKEN = 'admin-token-for-the-tests-0123';

/** A run of `local/start.ts` as a process of its own, on a data folder that outlives it. */
export class Conch {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'conch-e2e-'));
  /** Everything that it wrote, over all its starts. */
  output = '';
  url = '';
  #child: ChildProcess | undefined;
  #port = '0';

  /** Starts it, again on the same port and data after an end; resolves when it is ready. */
  async start(env: Record<string, string> = {}): Promise<void> {
    const child = spawn(process.execPath, ['local/start.ts'], {
      env: { ...process.env, PORT: this.#port, CONCH_DATA: this.dataDir, CONCH_ADMIN_TOKEN: ADMIN_TOKEN, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stderr.on('data', (chunk) => {
      this.output += chunk;
    });
    this.url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        this.output += `${line}\n`;
        const ready = /^conch ready (\S+)$/u.exec(line)?.[1];
        if (ready) resolve(ready);
      });
      child.once('exit', (code) => reject(new Error(`Conch ended with ${code}:\n${this.output}`)));
    });
    this.#port = new URL(this.url).port;
  }

  /** Kills it as a crash would. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  async close(): Promise<void> {
    await this.kill('SIGTERM');
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** One request to the administration. */
  async admin<T = unknown>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> {
    const response = await fetch(`${this.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text ? JSON.parse(text) : undefined) as T };
  }
}

/** Waits until `look` gives something other than undefined, null or false. */
export async function until<T>(look: () => T | Promise<T>, what: string, withinMs = 15_000): Promise<NonNullable<T>> {
  const end = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found) return found as NonNullable<T>;
    if (Date.now() > end) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
