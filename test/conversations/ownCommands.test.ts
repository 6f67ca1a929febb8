import { describe, expect, test } from 'vitest';
import type { Asker } from '../../lib/commands/gate.ts';
import { systemPrompt } from '../../lib/conversations/prompt.ts';
import { route } from '../../lib/conversations/route.ts';
import { MESSAGE_LIMIT } from '../../lib/domain/limits.ts';
import { initialState } from '../../lib/domain/state.ts';
import { custom, prompt, skill, toolServer } from '../support/own.ts';

const BEN: Asker = { role: 'let-in', group: false };
const OWN = {
  commands: [
    custom('greet', { template: 'Greet {{args}} warmly.' }),
    custom('deploy-prod', { who: 'owner' }),
    custom('off', { enabled: false }),
    custom('echo', { template: '{{args}}' }),
    custom('clear', { template: 'Never.' }),
    custom('large', { template: '{{args}}'.repeat(6_000) }),
  ],
  skills: [skill('tone'), skill('greet')],
  toolServers: [toolServer('tracker', prompt('triage'))],
};

const typed = (text: string, asker: Asker = BEN, more = {}) =>
  route({ typed: text, content: { text }, addressed: true, namesUs: true, ...more }, asker, OWN);

describe('SPEC 4.4, 10.3: a custom command is a message', () => {
  test('with the expansion for the model and what was typed for people', () => {
    expect(typed('/Greet  Ana\nand Ben')).toEqual({
      kind: 'message',
      content: { text: 'Greet Ana\nand Ben warmly.', command: { name: 'greet', display: '/Greet  Ana\nand Ben' } },
    });
  });

  test('the safe form of an app’s menu leads to the same command (SPEC 12.1)', () => {
    const way = typed('/deploy_prod now', { role: 'owner', group: false });
    expect(way).toMatchObject({ content: { command: { name: 'deploy-prod', display: '/deploy_prod now' } } });
  });

  test('what the person quoted comes along as a quotation', () => {
    const quote = { text: '{{args}}', by: 'Cy' };
    const content = { text: '/greet Ana', quote };
    expect(typed('/greet Ana', BEN, { content })).toMatchObject({ content: { quote, text: 'Greet Ana warmly.' } });
  });

  test('a row that does not yield comes first', () => {
    expect(typed('/clear')).toMatchObject({ kind: 'command', command: { name: 'clear' } });
  });

  test('SPEC 10.4: a skill goes as typed, with its text', () => {
    const way = typed('/tone a mail');
    expect(way).toMatchObject({ kind: 'message', content: { command: { name: 'tone', display: '/tone a mail' } } });
    expect(JSON.stringify(way)).toContain('This is how to tone.');
  });
});

describe('SPEC 4.5: a prompt of a tool server', () => {
  test('goes to the model as typed, with what is quoted', () => {
    const content = { text: 'triage', quote: { text: 'a bug' } };
    const way = typed('/Triage  it\nnow', BEN, { content });
    expect(way).toEqual({ kind: 'message', content: { text: '/Triage  it\nnow', quote: { text: 'a bug' } } });
  });

  test('too long a one is refused, and a stranger’s reaches no model', () => {
    expect(typed(`/triage ${'x'.repeat(MESSAGE_LIMIT)}`)).toMatchObject({ notice: 'message-too-long' });
    expect(typed('/triage', { role: 'stranger', group: false })).toMatchObject({ notice: 'not-let-in' });
  });
});

describe('SPEC 4.9: who may', () => {
  test.each<[string, string, Asker, boolean, object]>([
    ['case B 37: owner-only, by another', '/deploy-prod', BEN, true, { notice: 'not-permitted', args: 'owner-only' }],
    ['a stranger', '/greet x', { role: 'stranger', group: false }, true, { notice: 'not-let-in' }],
    [
      'SPEC 4.3: in a group',
      '/greet x',
      { role: 'let-in', group: true },
      false,
      { notice: 'not-permitted', args: 'private-only' },
    ],
    ['SPEC 4.3: unknown in a group', '/unknown', { role: 'let-in', group: true }, false, { kind: 'silence' }],
    ['SPEC 10.1: not enabled, in a group', '/off', { role: 'let-in', group: true }, false, { kind: 'silence' }],
    ['SPEC 10.1: not enabled', '/off x', BEN, true, { notice: 'unknown-command', args: '/off x' }],
    ['nothing comes of it', '/echo', BEN, true, { notice: 'nothing-to-send', args: 'echo' }],
  ])('%s', (_case, text, asker, namesUs, expected) => {
    expect(typed(text, asker, { namesUs })).toMatchObject(expected);
  });

  test('what would be too long is refused, and not made first; people see nothing of the template’s length', () => {
    // Made, it would be longer than any string can be.
    const args = 'x'.repeat(100_000);
    const way = typed(`/large ${args}`);
    expect(way).toEqual({ kind: 'notice', notice: 'command-too-long', args: 'large' });
    expect(typed(`/greet ${'x'.repeat(MESSAGE_LIMIT / 2)}`)).toMatchObject({ notice: 'command-too-long' });
    expect(typed(`/greet ${'x'.repeat(MESSAGE_LIMIT / 2 - 20)}`)).toMatchObject({ kind: 'message' });
  });
});

test('SPEC 10.4: the system prompt names skills with their descriptions, one line each', () => {
  const prompt = systemPrompt(initialState, [skill('tone', { description: 'How\nwe write' })]);
  expect(prompt).toContain('\n- tone: How we write');
  expect(prompt).not.toContain('This is how');
  expect(systemPrompt(initialState, [])).toBe(systemPrompt(initialState));
});
