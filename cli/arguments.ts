import { parseArgs } from 'node:util';
import { usage } from './failure.ts';

/** A command line: words in order, options by their name in camel case, and which flags are set. */
export interface Arguments {
  words: string[];
  options: Record<string, string>;
  flags: ReadonlySet<string>;
}

/** Options without a value. Every other option has one. */
const FLAGS = new Set(['check', 'help', 'json', 'reclaim', 'version', 'yes']);

/** `botToken` as `bot-token`, as it is typed. */
export function optionName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `bot-token` as `botToken`; a name in camel case stays. */
function camelCase(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function optionNames(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const options = argv.slice(0, end < 0 ? undefined : end).filter((word) => /^--[A-Za-z]/.test(word));
  return options.map((word) => word.slice(2).split('=', 1)[0] ?? '');
}

/**
 * Reads a command line. Which options a command has is for the command to say, since those of a channel are its chat
 * app's own.
 * @throws {Failure} for an option without its value.
 */
export function readArguments(argv: readonly string[]): Arguments {
  const known = optionNames(argv).map((name) => [name, { type: FLAGS.has(name) ? 'boolean' : 'string' }] as const);
  const short = { help: { type: 'boolean', short: 'h' } } as const;
  try {
    const options = { ...Object.fromEntries(known), ...short };
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    return { words: positionals, ...split(values) };
  } catch (error) {
    throw usage(error instanceof Error ? error.message : 'The command cannot be read.');
  }
}

function split(values: Record<string, unknown>): Pick<Arguments, 'options' | 'flags'> {
  const entries = Object.entries(values);
  const options = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const flags = entries.filter(([, value]) => value === true).map(([name]) => name);
  return {
    options: Object.fromEntries(options.map(([name, value]) => [camelCase(name), value])),
    flags: new Set(flags),
  };
}

/** @throws {Failure} naming an option that the command does not have. */
export function allowOptions({ options }: Arguments, names: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) throw usage(`There is no option --${optionName(unknown)} here.`);
}
