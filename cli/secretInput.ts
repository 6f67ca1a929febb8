import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { optionName } from './arguments.ts';
import { Failure } from './failure.ts';

/** Where secrets come from that do not stand in the command itself. */
export interface SecretSources {
  env: NodeJS.ProcessEnv;
  /** The next line of the input, asked for by name at a terminal. */
  readLine(name: string): Promise<string>;
}

/**
 * The options with their values filled in: `-` is a line of the input, `env:NAME` is a variable. So no secret has to
 * stand in the shell's history.
 */
export async function fillIn(options: Record<string, string>, from: SecretSources): Promise<Record<string, string>> {
  const filled: Record<string, string> = {};
  for (const [name, value] of Object.entries(options)) filled[name] = await filledValue(name, value, from);
  return filled;
}

async function filledValue(name: string, value: string, { env, readLine }: SecretSources): Promise<string> {
  const line = value === '-' ? await readLine(name) : undefined;
  if (line !== undefined) return line.trim();
  const variable = /^env:([A-Za-z_]\w*)$/.exec(value)?.[1];
  if (variable === undefined) return value;
  const content = env[variable]?.trim();
  if (!content) throw new Failure(`--${optionName(name)}: the variable ${variable} is not set.`, 2);
  return content;
}

/** Reads lines of the standard input. At a terminal it asks, and shows nothing of what is typed. */
export function createLineReader(): SecretSources['readLine'] & { close(): void } {
  let lines: AsyncIterator<string> | undefined;
  let input: ReturnType<typeof createInterface> | undefined;
  const terminal = process.stdin.isTTY === true;
  const read = async (name: string) => {
    if (!input) {
      const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
      input = createInterface({ input: process.stdin, output: silent, terminal });
      lines = input[Symbol.asyncIterator]();
    }
    if (terminal) process.stderr.write(`${optionName(name)}: `);
    const next = await lines?.next();
    if (terminal) process.stderr.write('\n');
    if (!next || next.done) throw new Failure(`--${optionName(name)}: the input ended before its value.`, 2);
    return next.value;
  };
  return Object.assign(read, { close: () => input?.close() });
}
