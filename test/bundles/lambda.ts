import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Answer {
  id: number;
  result?: unknown;
  error?: string;
}

const HOST = fileURLToPath(new URL('./host.ts', import.meta.url));
const INVOCATION_LIMIT_MS = 60_000;

/** A bundled function in a process of its own, which has nothing but its environment. */
export class LambdaProcess {
  /** What it wrote to its log. */
  log = '';
  /** How long the bundle took to load. */
  loadedMs = 0;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  #next = 1;

  private constructor(folder: string, env: Record<string, string>) {
    this.#child = fork(HOST, [join(folder, 'index.mjs')], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const write = (chunk: Buffer) => {
      this.log += chunk;
    };
    this.#child.stdout?.on('data', write);
    this.#child.stderr?.on('data', write);
    this.#child.on('message', (answer: Answer) => this.#settle(answer));
  }

  /** Starts it. @throws with its log if the bundle cannot be loaded. */
  static async start(folder: string, env: Record<string, string>): Promise<LambdaProcess> {
    const lambda = new LambdaProcess(folder, env);
    await new Promise<void>((resolve, reject) => {
      lambda.#child.once('message', ({ loadedMs }: { loadedMs: number }) => {
        lambda.loadedMs = loadedMs;
        resolve();
      });
      lambda.#child.once('close', (code) => reject(new Error(`The function ended with ${code}: ${lambda.log}`)));
    });
    return lambda;
  }

  /** Calls the handler with an event. */
  async invoke<T>(event: unknown, remainingMs = INVOCATION_LIMIT_MS): Promise<T> {
    const id = this.#next++;
    const result = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#child.send({ id, event, remainingMs });
    return (await result) as T;
  }

  stop(): void {
    this.#child.disconnect();
  }

  #settle({ id, result, error }: Answer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error));
  }
}
