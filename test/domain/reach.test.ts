import { describe, expect, test } from 'vitest';
import { decideBack, decideGone } from '../../lib/domain/reach.ts';
import { base, draft, given, message, shown, stateAfter, turnStarted } from '../support/given.ts';

const gone = draft('chat.gone', { reason: 'blocked' });
const isGone = (...drafts: Parameters<typeof stateAfter>) => stateAfter(...drafts).gone !== undefined;

describe('a chat that takes nothing (SPEC 13.6)', () => {
  test('is noted once, and with a claim where a worker found out', () => {
    const said = message();
    const before = stateAfter(said);
    const claim = { turn: 't', attempt: 1 };
    given(said, turnStarted([1]))
      .when((state) => decideGone(state, before, 'blocked', claim))
      .appends(draft('chat.gone', { ...claim, reason: 'blocked' }));
    given(said, turnStarted([1]), gone)
      .when((state) => decideGone(state, before, 'blocked', claim))
      .appends();
  });

  test('is not noted when the person was heard of since the call began: they are back already', () => {
    const said = message();
    const before = stateAfter(said);
    for (const heard of [message('here I am'), shown()]) {
      given(said, heard)
        .when((state) => decideGone(state, before, 'blocked'))
        .appends();
    }
  });

  test('is there again with whatever the person does, and with what the app says', () => {
    expect(isGone(message(), gone)).toBe(true);
    expect(isGone(message(), gone, turnStarted([1]))).toBe(true);
    expect(isGone(message(), gone, message('again'))).toBe(false);
    expect(isGone(message(), gone, shown())).toBe(false);
    given(message(), gone).when(decideBack).appends(draft('chat.back', {}));
    given(message()).when(decideBack).appends();
    expect(isGone(message(), gone, draft('chat.back', {}))).toBe(false);
  });

  test('SPEC 9.3: a stranger’s request is no sign of its owner', () => {
    const asked = draft('access.asked', { ...base(), who: { id: 'ben' } });
    expect(isGone(message(), gone, asked)).toBe(true);
  });
});
