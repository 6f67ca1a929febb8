import { TIME_TO_WORK_MS } from '../../lib/domain/limits.ts';
import type { ProviderRecord } from '../../lib/ports/tenants.ts';
import type { Act, Scenario } from './scenarios.ts';

const say = (at: number, words: string, more: { repeats?: number[] } = {}): Act => ({ at, say: words, ...more });
const press = (at: number, label: string, more: { times?: number; repeats?: number[] } = {}): Act => ({
  ...{ at, press: label },
  ...more,
});

/** Then somebody writes once more: what the model reads of all that was before is seen. */
const and = say(60_000, '{m} [short]');

/** Tools that run, and tools that are asked about first (SPEC 7.5). */
const TOOLS: readonly Scenario[] = [
  { name: 'tools that read', acts: [say(0, '{m} [reads]'), and] },
  { name: 'tools that read, cannot edit', kind: 'text', acts: [say(0, '{m} [reads]'), and] },
  { name: 'a tool that changes', mode: 'trust', acts: [say(0, '{m} [writes]'), and] },
  { name: 'tools of both kinds', mode: 'trust', acts: [say(0, '{m} [both]'), and] },
  { name: 'a tool that takes long', acts: [say(0, '{m} [looks]')] },
  { name: 'tools that fail', acts: [say(0, '{m} [fumbles]'), and] },
  { name: 'stop while a tool runs', mode: 'trust', acts: [say(0, '{m} [looks]'), say(4_000, '/stop'), and] },
  { name: 'stop behind a step', acts: [say(0, '{m} [reads-steady]'), say(5_000, '/stop'), and] },
  { name: 'stop before a tool', mode: 'trust', acts: [say(0, '{m} [writes]'), say(600, '/stop'), and] },
  { name: 'clear while a tool runs', mode: 'trust', acts: [say(0, '{m} [both]'), say(1_000, '/clear'), and] },
  { name: 'allowed', acts: [say(0, '{m} [writes]'), press(4_000, 'Allow once'), and] },
  {
    name: 'allowed in this chat, twice delivered',
    rule: 'slack',
    acts: [say(0, '{m} [both]'), press(4_000, 'Allow in this chat', { repeats: [60, 9_000] }), and],
  },
  { name: 'denied', acts: [say(0, '{m} [writes]'), press(4_000, 'Deny', { times: 2 }), and] },
  { name: 'plan first', acts: [say(0, '{m} [plans-writes]'), press(4_000, 'Plan first'), press(12_000, 'Start')] },
  { name: 'allowed by a numbered reply', kind: 'text', acts: [say(0, '{m} [writes]'), press(6_000, 'Allow once')] },
  {
    name: 'asked, and a message',
    acts: [say(0, '{m} [writes]'), say(4_000, '{m} [short]'), press(12_000, 'Allow once')],
  },
  { name: 'asked, and stopped', acts: [say(0, '{m} [writes]'), say(4_000, '/stop'), and] },
  { name: 'asked, and cleared', acts: [say(0, '{m} [writes]'), say(4_000, '/clear'), press(9_000, 'Undo'), and] },
  { name: 'asked, and anew', acts: [say(0, '{m} [writes]'), say(4_000, '/new'), press(9_000, 'Go back'), and] },
];

/** Plans and their question (SPEC 7.2, 7.3). */
const PLANS: readonly Scenario[] = [
  { name: 'plan started', mode: 'plan', acts: [say(0, '{m} [plans]'), press(20_000, 'Start', { repeats: [50] }), and] },
  {
    name: 'plan started twice',
    mode: 'plan',
    rule: 'slack',
    acts: [say(0, '{m} [plans]'), press(4_000, 'Start', { times: 2 })],
  },
  {
    name: 'plan started, then asks',
    mode: 'plan',
    acts: [say(0, '{m} [plans-writes]'), press(4_000, 'Start'), press(12_000, 'Deny')],
  },
  {
    name: 'plan kept',
    mode: 'plan',
    acts: [say(0, '{m} [plans]'), press(4_000, 'Keep planning'), say(9_000, '{m} [plans]')],
  },
  {
    name: 'plan by a numbered reply',
    kind: 'text',
    mode: 'plan',
    acts: [say(0, '{m} [plans]'), press(6_000, 'Start'), and],
  },
  {
    name: 'plan, and a message',
    mode: 'plan',
    acts: [say(0, '{m} [plans]'), say(4_000, '{m} [short]'), press(9_000, 'Start')],
  },
  { name: 'a message before the plan', mode: 'plan', acts: [say(0, '{m} [plans]'), say(500, '{m} [short]'), and] },
  { name: 'plan left', mode: 'plan', acts: [say(0, '{m} [plans]'), say(4_000, '/plan off'), and] },
];

/** Compaction on request and by itself (SPEC 8). */
const COMPACTIONS: readonly Scenario[] = [
  { name: 'compact', acts: [say(0, '{m} [reads]'), say(9_000, '/compact'), say(20_000, '{m} [short]')] },
  { name: 'compact, cannot edit', kind: 'text', acts: [say(0, '{m} [short]'), say(9_000, '/compact'), and] },
  { name: 'compact fails', acts: [say(0, '{m} [short]'), say(6_000, '/compact [lost]'), and] },
  {
    name: 'compact, cleared meanwhile',
    acts: [say(0, '{m} [short]'), say(6_000, '/compact [long]'), say(9_000, '/clear'), press(20_000, 'Undo'), and],
  },
  { name: 'compact, stopped', acts: [say(0, '{m} [short]'), say(6_000, '/compact [long]'), say(9_000, '/stop'), and] },
  {
    name: 'compact while a turn runs',
    acts: [say(0, '{m} [steady]'), say(2_000, '/compact'), say(4_000, '{m} [short]')],
  },
  {
    name: 'compact while a question is open',
    mode: 'plan',
    acts: [say(0, '{m} [plans]'), say(4_000, '/compact'), press(8_000, 'Keep planning'), and],
  },
  { name: 'full', acts: [say(0, '{m} [full]'), say(6_000, '{m} [reads]'), say(20_000, '{m} [short]')] },
  { name: 'full, a message in mid-turn', acts: [say(0, '{m} [full]'), say(500, '{m} [short]'), and] },
  { name: 'full in mid-turn', acts: [say(0, '{m} [short]'), say(5_000, '{m} [filling]'), and] },
  {
    name: 'full in mid-turn, cleared and undone',
    acts: [say(0, '{m} [short]'), say(5_000, '{m} [filling]'), say(6_300, '/clear'), press(9_000, 'Undo'), and],
  },
  { name: 'too long', acts: [say(0, '{m} [short]'), say(5_000, '{m} [too-long]'), and] },
];

/** A model with a window so small that a long message is summed up in four parts. */
const SMALL: readonly ProviderRecord[] = [
  { name: 'small', engine: 'openai', models: [{ id: 'one', contextWindow: 1_333 }], settings: {}, secrets: {} },
];
const LONG = `${'so on '.repeat(1_100)}{m} [short]`;

/** Compactions in many parts: none is asked for twice, but one that was under way when its worker died (SPEC 8.2). */
const IN_PARTS: readonly Scenario[] = [
  { name: 'compact in parts', providers: SMALL, acts: [say(0, LONG), say(9_000, '/compact'), and] },
  {
    name: 'compact in parts, longer than a worker lives',
    providers: SMALL,
    workerMs: TIME_TO_WORK_MS + 20_000,
    acts: [say(0, LONG), say(9_000, '/compact [long]'), say(120_000, '{m} [short]')],
  },
  {
    name: 'compact in parts, stopped',
    providers: SMALL,
    acts: [say(0, LONG), say(9_000, '/compact [long]'), say(30_000, '/stop'), and],
  },
  {
    name: 'compact in parts, cleared and undone',
    providers: SMALL,
    acts: [say(0, LONG), say(9_000, '/compact [long]'), say(30_000, '/clear'), press(40_000, 'Undo'), and],
  },
  { name: 'full in mid-turn, in parts', providers: SMALL, acts: [say(0, LONG), say(9_000, '{m} [filling]'), and] },
];

/** What comes in while a step is under way, and what becomes of it in a summary (SPEC 8.5). */
const MEANWHILE: readonly Scenario[] = [
  {
    name: 'compacted twice',
    acts: [
      ...[say(0, '{m} [short]'), say(6_000, '/compact'), say(14_000, '{m} [short]'), say(20_000, '/compact')],
      say(30_000, '{m} [short]'),
    ],
  },
  {
    name: 'a message while the window fills',
    acts: [say(0, '{m} [filling-slowly]'), say(10_000, '{m} [short]'), say(90_000, '{m} [short]')],
  },
  {
    name: 'a message between a call and its result, then full',
    acts: [say(0, '{m} [looks-full]'), say(10_000, '{m} [short]'), say(90_000, '{m} [short]')],
  },
];

export const TOOL_SCENARIOS: readonly Scenario[] = [...TOOLS, ...PLANS, ...COMPACTIONS, ...IN_PARTS, ...MEANWHILE];
