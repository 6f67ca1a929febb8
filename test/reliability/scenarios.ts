import type { Mode } from '../../lib/domain/events.ts';
import type { Access } from '../../lib/domain/tenancy.ts';
import type { CommandRecord, ProviderRecord } from '../../lib/ports/tenants.ts';
import type { ChatKind } from './chat.ts';
import type { RuleName } from './delivery.ts';
import { TOOL_SCENARIOS } from './toolScenarios.ts';

/** Something that a person does, `at` ms after the start. */
export type Act = { at: number; chat?: string } & (
  | { say: string; thread?: string; late?: number; repeats?: number[] }
  | { press: string; times?: number; repeats?: number[] }
  | { block: true; repeats?: number[] }
);

/** What people do in one world, and what kind of world it is. */
export interface Scenario {
  name: string;
  acts: Act[];
  kind?: ChatKind;
  /** The redelivery rule; that of the kind of chat app if absent. */
  rule?: RuleName;
  turnsAtOnce?: number;
  messagesPerMinute?: number;
  /** Everybody writes in one group. */
  group?: boolean;
  /** Every look at a place has others in its batch. */
  shared?: boolean;
  /** The mode of new chats. */
  mode?: Mode;
  /** The tenant's providers; the demo if absent. */
  providers?: readonly ProviderRecord[];
  /** Who may write; anyone if absent. `ann` is the owner. */
  access?: Access;
  /** How long a worker may run, ms; as on Lambda if absent. */
  workerMs?: number;
}

/** A custom command of every world's tenant. */
export const GREET: CommandRecord = {
  ...{ name: 'greet', description: 'Greets', enabled: true, who: 'people', template: 'Greet kindly: {{args}}' },
};

/** Small scripts for the walk: each is short, so that every call of it can be met by every fault. */
const TALKING: readonly Scenario[] = [
  { name: 'message', acts: [{ at: 0, say: '{m} [short]' }] },
  { name: 'message, Slack', rule: 'slack', acts: [{ at: 0, say: '{m} [short]' }] },
  { name: 'message, Discord', rule: 'discord', acts: [{ at: 0, say: '{m} [short]' }] },
  { name: 'message, Teams', rule: 'teams', acts: [{ at: 0, say: '{m} [short]' }] },
  { name: 'message, in a batch', shared: true, acts: [{ at: 0, say: '{m} [short]' }] },
  { name: 'message, cannot edit', kind: 'text', acts: [{ at: 0, say: '{m} [short]' }] },
  { name: 'long answer', acts: [{ at: 0, say: '{m} [parts]' }] },
  { name: 'long answer, cannot edit', kind: 'text', acts: [{ at: 0, say: '{m} [parts]' }] },
  {
    name: 'command',
    acts: [
      { at: 0, say: '/status' },
      { at: 500, say: '/goal win' },
    ],
  },
  {
    name: 'command, Slack',
    rule: 'slack',
    acts: [
      { at: 0, say: '/status' },
      { at: 500, say: '/goal win' },
    ],
  },
  { name: 'command, cannot edit', kind: 'text', acts: [{ at: 0, say: '/help' }] },
  {
    name: 'undo pressed',
    acts: [
      ...[
        { at: 0, say: '{m} [short]' },
        { at: 8_000, say: '/clear' },
        { at: 12_000, press: 'Undo' },
      ],
      { at: 40_000, say: '{m} [short]' },
    ],
  },
  {
    name: 'undo pressed twice at once',
    rule: 'slack',
    acts: [
      ...[
        { at: 0, say: '{m} [short]' },
        { at: 8_000, say: '/clear' },
        { at: 12_000, press: 'Undo', times: 2 },
      ],
      { at: 40_000, say: '{m} [short]' },
    ],
  },
  {
    name: 'undo by a numbered reply',
    kind: 'text',
    acts: [
      ...[
        { at: 0, say: '{m} [short]' },
        { at: 8_000, say: '/clear' },
        { at: 12_000, press: 'Undo' },
      ],
      { at: 40_000, say: '{m} [short]' },
    ],
  },
  {
    name: 'did you mean',
    acts: [
      { at: 0, say: '/statsu' },
      { at: 3_000, press: 'Send as a message' },
    ],
  },
  {
    name: 'stop',
    acts: [
      { at: 0, say: '{m} [steady]' },
      { at: 4_000, say: '/stop' },
    ],
  },
  {
    name: 'stop while another waits',
    acts: [
      ...[
        { at: 0, say: '{m} [steady]' },
        { at: 2_000, say: '{m} [short]' },
        { at: 3_500, say: '/stop' },
      ],
      { at: 4_000, say: '{m} [short]' },
    ],
  },
  {
    name: 'clear in mid-turn',
    acts: [
      { at: 0, say: '{m} [steady]' },
      { at: 2_500, say: '/clear' },
      { at: 20_000, say: '{m} [short]' },
    ],
  },
  {
    name: 'clear in mid-turn, undone',
    acts: [
      ...[
        { at: 0, say: '{m} [steady]' },
        { at: 1_500, say: '{m} [short]' },
        { at: 2_500, say: '/clear' },
      ],
      ...[
        { at: 5_000, press: 'Undo' },
        { at: 40_000, say: '{m} [short]' },
      ],
    ],
  },
  {
    name: 'new in mid-turn, gone back',
    acts: [
      ...[
        { at: 0, say: '{m} [steady]' },
        { at: 2_500, say: '/new {m} [short]' },
        { at: 30_000, press: 'Go back' },
      ],
      { at: 50_000, say: '{m} [short]' },
    ],
  },
  {
    name: 'two at once',
    acts: [
      { at: 0, say: '{m} [short]' },
      { at: 5, say: '{m} [short]' },
    ],
  },
  {
    name: 'two at once, Slack',
    rule: 'slack',
    acts: [
      { at: 0, say: '{m} [short]' },
      { at: 1, say: '{m} [short]' },
      { at: 900, say: '{m} [short]' },
    ],
  },
  { name: 'provider refuses the key', acts: [{ at: 0, say: '{m} [unauthorized]' }] },
  {
    name: 'provider asks to wait',
    acts: [
      { at: 0, say: '{m} [limited]' },
      { at: 3_000, say: '{m} [short]' },
    ],
  },
  {
    name: 'stop while the provider waits',
    acts: [
      { at: 0, say: '{m} [limited]' },
      { at: 6_000, say: '/stop' },
    ],
  },
  { name: 'provider overloaded', acts: [{ at: 0, say: '{m} [overloaded]' }] },
  { name: 'provider breaks off', acts: [{ at: 0, say: '{m} [shrinking]' }] },
  { name: 'empty answer', acts: [{ at: 0, say: '{m} [empty-once]' }] },
  { name: 'lease renewed', acts: [{ at: 0, say: '{m} [slow]' }] },
  {
    name: 'provider hangs',
    acts: [
      { at: 0, say: '{m} [hanging]' },
      { at: 30_000, say: '{m} [short]' },
    ],
  },
  {
    name: 'blocked',
    acts: [
      { at: 0, say: '{m} [steady]' },
      { at: 2_500, block: true },
    ],
  },
  {
    name: 'slots exhausted',
    turnsAtOnce: 1,
    acts: [
      ...[
        { at: 0, say: '{m} [steady]' },
        { at: 500, chat: 'bob', say: '{m} [short]' },
      ],
      { at: 900, chat: 'cid', say: '{m} [short]' },
    ],
  },
  {
    name: 'turn after turn in one slot',
    turnsAtOnce: 1,
    acts: [
      ...[
        { at: 0, say: '{m} [minute]' },
        { at: 9_000, say: '{m} [minute]' },
        { at: 40_000, say: '{m} [minute]' },
      ],
      ...[66_500, 68_000].map((at) => ({ at, chat: `bob${at}`, say: '{m} [short]' })),
    ],
  },
  {
    name: 'two in a group',
    group: true,
    acts: [
      ...[
        { at: 0, say: '{m} [short]' },
        { at: 100, chat: 'bob', say: '{m} [short]' },
        { at: 9_000, say: '/new' },
      ],
      ...[
        { at: 12_000, chat: 'bob', press: 'Go back' },
        { at: 14_000, press: 'Go back' },
      ],
      ...[
        { at: 20_000, say: '{m} [steady]' },
        { at: 22_000, chat: 'bob', say: '/stop' },
        { at: 23_000, say: '/stop' },
      ],
    ],
  },
  {
    name: 'retry',
    acts: [
      { at: 0, say: '{m} [short]' },
      { at: 8_000, say: '/retry' },
    ],
  },
  {
    name: 'retry in mid-turn, and after it',
    rule: 'slack',
    acts: [
      { at: 0, say: '{m} [steady]' },
      { at: 2_500, say: '/retry' },
      { at: 20_000, say: '/again' },
    ],
  },
  {
    name: 'resume by number',
    acts: [
      ...[
        { at: 0, say: '{m} [short]' },
        { at: 6_000, say: '/new {m} [short]' },
        { at: 14_000, say: '/resume 1' },
      ],
      { at: 18_000, say: '{m} [short]' },
    ],
  },
  {
    name: 'resume picked',
    acts: [
      ...[
        { at: 0, say: '{m} [short]' },
        { at: 6_000, say: '/new {m} [short]' },
        { at: 14_000, say: '/resume' },
      ],
      ...[
        { at: 17_000, press: 'm1 [short]' },
        { at: 40_000, say: '{m} [short]' },
      ],
    ],
  },
  {
    name: 'setting picked in mid-turn',
    acts: [
      ...[
        { at: 0, say: '{m} [steady]' },
        { at: 1_500, say: '/effort' },
        { at: 3_000, press: 'high', times: 2 },
      ],
      { at: 20_000, say: '{m} [short]' },
    ],
  },
  {
    name: 'setting by a numbered reply',
    kind: 'text',
    acts: [
      { at: 0, say: '/effort' },
      { at: 3_000, press: 'high' },
      { at: 9_000, say: '{m} [short]' },
    ],
  },
  {
    name: 'freer mode confirmed',
    acts: [
      { at: 0, say: '/mode auto' },
      { at: 3_000, press: 'Yes' },
      { at: 9_000, say: '{m} [short]' },
    ],
  },
  { name: 'plan with a message', acts: [{ at: 0, say: '/plan {m} [short]' }] },
  {
    name: 'choices closed',
    acts: [
      { at: 0, say: '{m} [short]' },
      { at: 6_000, say: '/clear' },
      { at: 8_000, say: '/cancel' },
    ],
  },
  {
    name: 'export',
    acts: [
      { at: 0, say: '{m} [short]' },
      { at: 6_000, say: '/export' },
    ],
  },
  { name: 'custom command', acts: [{ at: 0, say: '/greet {m} [short]' }] },
  { name: 'custom command, Slack', rule: 'slack', acts: [{ at: 0, say: '/Greet {m} [short]', repeats: [900] }] },
  {
    name: 'stranger let in',
    access: 'list',
    acts: [
      ...[
        { at: 0, chat: 'bob', say: '{m} [short]' },
        { at: 1_000, chat: 'bob', say: '{m} [short]' },
        { at: 6_000, press: 'Let in' },
      ],
      { at: 100_000, chat: 'bob', say: '{m} [short]' },
    ],
  },
  ...(['telegram', 'slack', 'discord'] as const).map(
    (rule): Scenario => ({
      ...{ name: `stranger in many threads, ${rule}`, rule, access: 'list' },
      acts: [
        ...[
          { at: 0, chat: 'bob', thread: '1', say: '{m} [short]' },
          { at: 30, chat: 'bob', thread: '2', say: '{m} [short]' },
          { at: 4_000, chat: 'bob', say: '{m} [short]' },
        ],
        { at: 150_000, chat: 'bob', thread: '3', say: '{m} [short]' },
      ],
    }),
  ),
  {
    name: 'a limit in many threads',
    messagesPerMinute: 1,
    acts: [
      ...[
        { at: 0, thread: '1', say: '{m} [short]' },
        { at: 2_000, thread: '2', say: '{m} [short]' },
        { at: 2_030, thread: '3', say: '{m} [short]' },
        { at: 5_000, thread: '4', say: '{m} [short]' },
      ],
      { at: 150_000, thread: '5', say: '{m} [short]' },
    ],
  },
  {
    ...{ name: 'wrong codes in many threads', access: 'list' },
    acts: ['1', '2', '3', '4', '5', '6', '7'].map((thread, n) => ({
      ...{ at: n < 5 ? 40 * n : 1_000 * n, chat: 'bob', thread, say: '/start no-such-code' },
    })),
  },
  {
    name: 'delivered twice and late',
    acts: [
      { at: 0, say: '{m} [short]', repeats: [40, 60, 9_000] },
      { at: 20_000, say: '/clear', repeats: [30, 5_000, 30_000] },
      { at: 60_000, say: '{m} [short]', repeats: [100, 90_000] },
    ],
  },
];

/** All that the walk and the pairs go through. */
export const SCENARIOS: readonly Scenario[] = [...TALKING, ...TOOL_SCENARIOS];
