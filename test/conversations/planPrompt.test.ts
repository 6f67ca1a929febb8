import { describe, expect, test } from 'vitest';
import { systemPrompt } from '../../lib/conversations/prompt.ts';
import * as g from '../support/given.ts';

const { cleared, delivered, message, turnEnded, turnStarted } = g;
type Drafts = Parameters<typeof g.stateAfter>;

/** The system prompt of the turn that runs after this log. */
function promptAfter(...drafts: Drafts): string {
  return systemPrompt(g.stateAfter(...drafts), [], g.logOf(drafts));
}

const plan = { options: { mode: 'plan' as const } };
const planned: Drafts = [message('a trip'), turnStarted([1], plan), turnEnded([1]), delivered()];
const ON = 'Plan mode is on.';
const OVER = 'Plan mode was on earlier in this conversation and is over.';

describe('plan mode in the system prompt (SPEC 7.1)', () => {
  test('a turn in plan mode only plans, also when plan is the default for new chats', () => {
    const prompt = promptAfter(message(), turnStarted([1], plan));
    expect(prompt).toContain(ON);
    expect(prompt).toContain('Carry nothing out');
    expect(promptAfter(...planned, message('go ahead'), turnStarted([5], { turn: 'u', ...plan }))).toContain(ON);
  });

  test('no other turn reads of it', () => {
    expect(promptAfter(message(), turnStarted([1]))).not.toMatch(/plan mode/iu);
    expect(promptAfter(message(), turnStarted([1], { options: { mode: 'trust' } }))).not.toMatch(/plan mode/iu);
  });

  test('cases K 131: after plan mode the next prompt says that it is over', () => {
    const prompt = promptAfter(...planned, message('do it'), turnStarted([5], { turn: 'u' }));
    expect(prompt).toContain(OVER);
    expect(prompt).not.toContain(ON);
  });

  test('SPEC 5.2: after a clear nothing is said of it', () => {
    const memory = { id: 5, upTo: 5, messages: 1 };
    const log: Drafts = [...planned, cleared(), message('hi', { memory: 5 }), turnStarted([6], { turn: 'u', memory })];
    expect(promptAfter(...log)).not.toMatch(/plan mode/iu);
  });

  test('SPEC 6.2: the goal stands beside it', () =>
    expect(promptAfter(g.goalSet('whales'), message(), turnStarted([2], plan))).toMatch(/Plan mode is on.*> whales/su));
});
