import { EFFORTS, type Effort, MODES, type Mode } from '../domain/events.ts';
import { nearestEffort } from '../domain/settings.ts';
import type { ModelFacts } from './command.ts';
import { MODE_NAMES } from './modes.ts';

/** What `/goal` was asked for (SPEC 4.7). */
export type GoalArgument = { kind: 'show' } | { kind: 'clear' } | { kind: 'set'; goal: string };

const CLEAR_WORDS: ReadonlySet<string> = new Set(['clear', 'off', 'none', 'stop', 'remove']);

/** Reads `/goal`'s argument: empty shows, a word such as `clear` clears, anything else is the goal, byte for byte. */
export function parseGoalArg(args: string): GoalArgument {
  const goal = args.trim();
  if (!goal) return { kind: 'show' };
  return CLEAR_WORDS.has(goal.toLowerCase()) ? { kind: 'clear' } : { kind: 'set', goal };
}

/**
 * A value as it was meant: the dashes and quotes that phones put in are the plain ones, and quotes around all of it are
 * dropped (SPEC 4.7). Never for free text.
 */
export function plainValue(args: string): string {
  const plain = args
    .replaceAll(/[—―]/gu, '--')
    .replaceAll(/[‐‑‒–−﹣－]/gu, '-')
    .replaceAll(/[“”„‟«»]/gu, '"')
    .replaceAll(/[‘’‚‛]/gu, "'")
    .trim();
  return (/^(["'])(?<inner>.*)\1$/su.exec(plain)?.groups?.inner ?? plain).trim();
}

/** The name that was typed in full, else the only one that begins with it; undefined if there is none, or several. */
function nameMeant<T extends string>(typed: string, names: readonly T[]): T | undefined {
  const wanted = typed.toLowerCase();
  const exact = names.find((name) => name.toLowerCase() === wanted);
  if (exact !== undefined || !wanted) return exact;
  const [found, ...others] = names.filter((name) => name.toLowerCase().startsWith(wanted));
  return others.length === 0 ? found : undefined;
}

/** Whether several of the names begin with what was typed, so that it could mean any of them. */
function isOfSeveral(typed: string, names: readonly string[]): boolean {
  const wanted = plainValue(typed).toLowerCase();
  return wanted !== '' && names.filter((name) => name.toLowerCase().startsWith(wanted)).length > 1;
}

const SWITCH: Readonly<Record<string, boolean>> = {
  ...{ on: true, yes: true, true: true, '1': true, enable: true },
  ...{ off: false, no: false, false: false, '0': false, disable: false },
};

/** Reads a switch; undefined if it is neither on nor off. */
export function parseSwitch(args: string): boolean | 'toggle' | undefined {
  const value = plainValue(args).toLowerCase();
  if (!value) return 'toggle';
  return Object.hasOwn(SWITCH, value) ? SWITCH[value] : undefined;
}

/** Words that are an answer or a pick as well: behind `/plan` they are a message. */
const ANSWERS: ReadonlySet<string> = new Set(['yes', 'no', '1', '0']);

/**
 * Reads `/plan`'s argument (SPEC 7.6): a switch, or undefined for a message. A switch is nothing, or one word that says
 * nothing else: `on`, `off`, `enable`, `disable`, `true`, `false`.
 */
export function parsePlanArg(args: string): boolean | 'toggle' | undefined {
  return ANSWERS.has(plainValue(args).toLowerCase()) ? undefined : parseSwitch(args);
}

/** `effort` is the nearest level that the model has to the one `asked`; null: the default. */
export type EffortArgument = { effort: Effort; asked: Effort } | { effort: null };

const EFFORT_WORDS = [...EFFORTS, 'default', 'auto'] as const;

/** Whether it could be any of several levels. */
export function mayBeEfforts(args: string): boolean {
  return isOfSeveral(args, EFFORT_WORDS);
}

/**
 * Reads a level of effort: its name, a beginning that no other has, `default` or `auto`; undefined if it is none.
 * @param levels those that the model has.
 */
export function parseEffortArg(args: string, levels: readonly Effort[] = EFFORTS): EffortArgument | undefined {
  const name = nameMeant(plainValue(args), EFFORT_WORDS);
  if (name === undefined) return undefined;
  if (name === 'default' || name === 'auto') return { effort: null };
  return { effort: nearestEffort(name, levels), asked: name };
}

const MODE_WORDS = [...MODES, 'default'] as const;

/** Whether it could be any of several modes. */
export function mayBeModes(args: string): boolean {
  return isOfSeveral(args, MODE_WORDS);
}

/**
 * Reads a mode: its name, the words that menus show, or a beginning of either that no other has; null for `default`.
 * `auto` is a mode here. Undefined if it is none.
 */
export function parseModeArg(args: string): Mode | null | undefined {
  const typed = plainValue(args);
  const name = nameMeant(typed, MODE_WORDS);
  if (name === 'default') return null;
  return name ?? MODES.find((mode) => MODE_NAMES[mode] === nameMeant(typed, Object.values(MODE_NAMES)));
}

/** What `/model` was asked for. */
export type ModelArgument =
  | { kind: 'show' }
  /** null: the default. */
  | { kind: 'set'; model: string | null; fast: boolean }
  /** A provider with several models. */
  | { kind: 'provider'; provider: string }
  /** `match`: some models have this in their name. */
  | { kind: 'unread'; typed: string; match?: string };

const FAST_FLAG = /(?:^|\s)-{1,2}fast$/iu;

/**
 * Reads a model: by its full name `provider/model`, by the model's own, by the name of a provider, or by a beginning that
 * no other has. `--fast` behind it asks for the faster service as well.
 */
export function parseModelArg(args: string, models: readonly ModelFacts[]): ModelArgument {
  const value = plainValue(args);
  if (!value) return { kind: 'show' };
  const fast = FAST_FLAG.test(value);
  const typed = plainValue(value.replace(FAST_FLAG, ''));
  const found = modelMeant(typed, models);
  if (found) return { kind: 'set', model: found.name, fast };
  const wanted = typed.toLowerCase();
  if (wanted === 'default' || wanted === 'auto') return { kind: 'set', model: null, fast };
  const provider = models.find((model) => model.provider.toLowerCase() === wanted)?.provider;
  if (provider !== undefined) return { kind: 'provider', provider };
  const matches = wanted !== '' && models.some(({ name }) => name.toLowerCase().includes(wanted));
  return { kind: 'unread', typed, ...(matches ? { match: wanted } : {}) };
}

/** The only model that fits, by the first of these ways that fits any. */
function modelMeant(typed: string, models: readonly ModelFacts[]): ModelFacts | undefined {
  const wanted = typed.toLowerCase();
  if (!wanted) return undefined;
  const ways: ((model: ModelFacts) => boolean)[] = [
    ({ name }) => name === typed,
    ({ model }) => model === typed,
    ({ name, model }) => [name, model].some((one) => one.toLowerCase() === wanted),
    ({ provider }) => provider.toLowerCase() === wanted,
    ({ name, model }) => [name, model].some((one) => one.toLowerCase().startsWith(wanted)),
  ];
  const found = ways.map((way) => models.filter(way)).find((fitting) => fitting.length > 0) ?? [];
  return found.length === 1 ? found[0] : undefined;
}
