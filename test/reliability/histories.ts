import fc from 'fast-check';
import { COMMANDS as ROWS } from '../../lib/commands/registry.ts';
import type { Mode } from '../../lib/domain/events.ts';
import { randomFrom } from './clock.ts';
import type { RuleName } from './delivery.ts';
import { FAULTS, Faults, type Planned } from './faults.ts';
import type { Act, Scenario } from './scenarios.ts';
import { SCRIPTS } from './scripts.ts';
import { type Run, runWith } from './walk.ts';
import type { WorldOptions } from './world.ts';

/** What happened in one random world: what people did, and what went wrong when. */
export interface History {
  scenario: Scenario;
  plan: Planned[];
  /** The queue delivers some hints twice. */
  duplicates: boolean;
  seed: number;
}

/** What is typed after a command, where it is not always nothing. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  ...{ new: ['', '{m} [short]'], ask: ['{m} [short]'], help: ['', 'goal'], start: ['', 'no-such-code'] },
  ...{ resume: ['', '1', '2', 'short'], export: ['', 'json'], goal: ['', 'win', 'clear'] },
  ...{ plan: ['', 'on', 'off', '{m} [plans]'], review: ['', '{m} [short]'], compact: ['', '[long]', '[lost]'] },
  ...{ model: ['', 'demo'], effort: ['', 'high', 'default', 'nonsense'], fast: ['', 'on'], mode: ['', 'plan', 'auto'] },
};

/** Every row of the registry, typed by each of its names. */
export const REGISTRY = ROWS.flatMap(({ name, aliases }) => {
  const typed = [name, ...aliases];
  return typed.flatMap((one) => (ARGUMENTS[name] ?? ['']).map((args) => `/${one} ${args}`.trim()));
});

/** What changes most stands here again, so that it is drawn more often. */
const COMMANDS = [
  ...REGISTRY,
  ...['/clear', '/undo', '/stop', '/new', '/new {m} [short]', '/goal win', '/cancel', '/retry', '/resume 1'],
  ...['/compact', '/compact [long]', '/plan on', '/plan off', '/plan {m} [plans-writes]', '/mode trust'],
  ...['/greet {m} [short]', '/statsu', '/nothing-like-it', '1', 'yes'],
];
const CHOICES: [say: string, press: string][] = [
  ...([
    ['/clear', 'Undo'],
    ['/new', 'Go back'],
    ['/goal win', 'Clear goal'],
  ] satisfies [string, string][]),
  ...([
    ['/effort', 'high'],
    ['/mode auto', 'Yes'],
    ['/resume', 'm1 [short]'],
  ] satisfies [string, string][]),
  ...([
    ['/statsu', '/status'],
    ['/nothing {m} [short]', 'Send as a message'],
  ] satisfies [string, string][]),
  ...([
    ['/plan {m} [plans]', 'Start'],
    ['/plan {m} [plans-writes]', 'Start'],
    ['/plan {m} [plans]', 'Keep planning'],
  ] satisfies [string, string][]),
  ...(['Allow once', 'Allow in this chat', 'Deny', 'Plan first'] as const).map((label): [string, string] => [
    '{m} [writes]',
    label,
  ]),
];
const PEOPLE = ['ann', 'bob', 'cid'];

const atMs = fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 120_000 }));
const chat = fc.constantFrom(...PEOPLE, 'ann', 'ann', 'ann');
/** When a delivery comes once more: mostly never. */
const repeats = fc.oneof(
  { weight: 4, arbitrary: fc.constant<number[]>([]) },
  fc.array(fc.integer({ min: 1, max: 120_000 }), { maxLength: 3 }),
);
const late = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: 100, max: 60_000 }));
const script = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('short', 'steady', 'parts', 'both', 'filling', 'plans') },
  fc.constantFrom(...Object.keys(SCRIPTS)),
);

const said = (say: fc.Arbitrary<string>): fc.Arbitrary<Act[]> =>
  fc.record({ at: atMs, chat, say, late, repeats }).map((act) => [act]);

/** A command with buttons under its answer, and a press of one of them, once or twice. */
const pressed: fc.Arbitrary<Act[]> = fc
  .record({ at: atMs, chat, choices: fc.constantFrom(...CHOICES), afterMs: fc.integer({ min: 500, max: 40_000 }) })
  .chain(({ at, chat: who, choices: [say, press], afterMs }) =>
    fc.record({ times: fc.integer({ min: 1, max: 2 }), repeats }).map((more) => [
      { at, chat: who, say },
      { at: at + afterMs, chat: who, press, ...more },
    ]),
  );

const acts = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: said(script.map((name) => `{m} [${name}]`)) },
      { weight: 3, arbitrary: said(fc.constantFrom(...COMMANDS)) },
      { weight: 2, arbitrary: pressed },
    ),
    { minLength: 1, maxLength: 9 },
  )
  .map((some) => some.flat());

const app = fc.constantFrom<Pick<Scenario, 'kind' | 'rule'>>(
  ...(['telegram', 'slack', 'discord', 'teams'] satisfies RuleName[]).map((rule) => ({
    kind: 'telegram' as const,
    rule,
  })),
  { kind: 'text', rule: 'text' },
);

const plan = fc.array(fc.record({ call: fc.integer({ min: 1, max: 260 }), fault: fc.constantFrom(...FAULTS) }), {
  maxLength: 8,
});

/** Random worlds of several people, with duplicates, late deliveries, stalls past the lease, crashes and failures. */
export const history: fc.Arbitrary<History> = fc
  .record({
    app,
    acts,
    turnsAtOnce: fc.constantFrom(undefined, 1, 2),
    mode: fc.constantFrom<(Mode | undefined)[]>(undefined, undefined, 'trust', 'plan'),
    group: fc.constantFrom(false, false, false, true),
    ...{ plan, duplicates: fc.boolean(), seed: fc.integer({ min: 1, max: 1_000_000 }) },
  })
  .map(({ app: { kind, rule }, acts: done, turnsAtOnce, mode, group, ...rest }) => ({
    ...rest,
    scenario: {
      ...{ name: 'history', acts: done, group },
      ...(kind === undefined ? {} : { kind }),
      ...(rule === undefined ? {} : { rule }),
      ...(turnsAtOnce === undefined ? {} : { turnsAtOnce }),
      ...(mode === undefined ? {} : { mode }),
    },
  }));

const DUPLICATES = 0.1;
const DUPLICATE_WITHIN_MS = 120_000;

/** Plays one history and checks every promise. */
export function runHistory(
  { scenario, plan: planned, duplicates, seed }: History,
  options: WorldOptions = {},
): Promise<Run> {
  return runWith(scenario, planned, {
    ...{ seed, faults: new Faults(planned, { random: randomFrom(seed) }) },
    ...options,
    ...(duplicates
      ? { duplicate: (random) => (random() < DUPLICATES ? random() * DUPLICATE_WITHIN_MS : undefined) }
      : {}),
  });
}
