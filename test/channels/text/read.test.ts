import { describe, expect, test } from 'vitest';
import { read as readBody } from '../../../lib/channels/text/read.ts';
import { channel } from './channel.ts';

describe('what is read', () => {
  const read = (body: unknown) => readBody(new TextEncoder().encode(JSON.stringify(body)), channel, 0);
  const message = { id: '1', chat: 'c', person: 'p', text: 'x' };

  test.each([
    ['an empty id', { ...message, id: '' }],
    ['a long chat', { ...message, chat: 'x'.repeat(201) }],
    ['a long text', { ...message, text: 'x'.repeat(100_001) }],
    ['half a character', { ...message, text: '\ud800' }],
    ['a number', { ...message, person: 7 }],
    ['blanks alone', { ...message, text: ' \n\u00a0' }],
  ])('%s is malformed', (_case, body) => {
    expect(read(body)).toMatchObject([{ kind: 'malformed' }]);
  });

  test('SPEC 13.5: which field, and why, in words', () => {
    const reasonOf = (body: unknown) => read(body).map((one) => 'reason' in one && one.reason);
    expect(reasonOf({ ...message, person: 7 })).toEqual(['person is missing, too long or has the wrong type']);
    expect(reasonOf({ ...message, text: '   ' })).toEqual(['text is blank']);
    expect(reasonOf([])).toEqual(['the body is missing, too long or has the wrong type']);
  });

  test('chats and ids cannot be mixed up in a key', () => {
    const keys = [
      { chat: 'a:b', id: 'c' },
      { chat: 'a', id: 'b:c' },
    ].map((names) => read({ ...message, ...names })[0]);
    expect(new Set(keys.map((one) => one && 'key' in one && one.key)).size).toBe(2);
  });
});
