import { describe, expect, test } from 'vitest';
import type { CommandContext } from '../../lib/commands/command.ts';
import { retry } from '../../lib/commands/retry.ts';
import { decideResume, ran, unsettled } from '../../lib/domain/decide.ts';
import * as g from '../support/given.ts';

const { base, cleared, compactAsked, draft, given, message, questionAsked, started, turnEnded, turnStarted } = g;

const answered = [turnStarted([1]), turnEnded([1]), g.delivered()] as const;
const first = {
  conversation: { conversation: 0, memory: { id: 0, upTo: 0, messages: 1, last: 1 }, first: 1 },
  ...{ title: 'hi', at: g.NOON, asOf: 5 },
};

describe('SPEC 4.2: /resume', () => {
  test('puts the conversation in force, and leaves the one before for Go back', () => {
    const by = base({ command: 'resume' });
    const resumed = draft('conversation.resumed', {
      ...{ ...by, left: 5, resumed: first.conversation, title: 'hi', sentAt: g.NOON },
    });
    const log = given(message(), ...answered, started()).when((state) => decideResume(state, by, first));
    log.appends(resumed);
    log.holds((state) => expect(state).toMatchObject({ conversation: 0, memory: { id: 0 }, left: { leftAt: 6 } }));
  });

  test('DESIGN 3a: another conversation was left since it was looked up: what was found may be out of date', () => {
    const by = base();
    given(message(), ...answered, started(), started())
      .when((state) => decideResume(state, by, first))
      .appends(draft('command.ran', ran(by, 'changed').data));
  });

  test('the conversation in force is no earlier one', () => {
    const by = base();
    given(message(), ...answered)
      .when((state) => decideResume(state, by, first))
      .appends(draft('command.ran', ran(by, 'here').data));
  });
});

test('SPEC 4.8, DESIGN 3a: what is under way, whatever it is, stands in the way', () => {
  given().holds((state) => expect(unsettled(state)).toBeUndefined());
  given(message()).holds((state) => expect(unsettled(state)).toBe('waiting'));
  given(message(), turnStarted([1])).holds((state) => expect(unsettled(state)).toBe('answering'));
  given(message(), turnStarted([1]), questionAsked()).holds((state) => expect(unsettled(state)).toBe('question'));
  given(message(), ...answered, compactAsked()).holds((state) => expect(unsettled(state)).toBe('compacting'));
  given(message(), ...answered).holds((state) => expect(unsettled(state)).toBeUndefined());
});

test('SPEC 4.2, 5.2: a message that was looked up before a clear is not sent behind it', () => {
  const by = base({ command: 'retry' });
  const context = { base: by, lastMessage: { seq: 1, content: { text: 'hi' } } } as CommandContext;
  const again = draft('message', { ...by, content: { text: 'hi' }, memory: 0, conversation: 0 });
  given(message(), ...answered)
    .when((state) => retry.decide(state, context))
    .appends(again);
  const nothing = draft('command.ran', ran(by, 'nothing').data);
  given(message(), ...answered, cleared())
    .when((state) => retry.decide(state, context))
    .appends(nothing);
  given(message(), ...answered, message('b'), turnStarted([5], { turn: 'u' }), turnEnded([5], { turn: 'u' }))
    .when((state) => retry.decide(state, context))
    .appends(nothing);
});
