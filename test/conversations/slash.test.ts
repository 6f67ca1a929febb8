import { describe, expect, test } from 'vitest';
import { slashIn, slashInThreads } from '../../lib/conversations/slash.ts';
import { placeOf } from '../../lib/domain/place.ts';

const place = (where: { thread?: string; person?: string }) => ({
  tenant: 't',
  place: placeOf({ channel: 'c', chat: 'C1', ...where }),
});
const SLACK = { commandPrefix: '/conch ', threadPrefix: '!' };
const TELEGRAM = { commandPrefix: '/', hyphen: '_' };

describe('SPEC 12.2: a reply writes a command as it can be written there', () => {
  test.each([
    ['a private chat', {}, '/conch clear all'],
    ['a thread of a private chat', { thread: '1.2' }, '!clear all'],
    ['a group', { person: 'U1' }, '/conch clear all'],
    ['a thread of a group', { person: 'U1', thread: '1.2' }, '!clear all'],
  ])('Slack, which takes no slash command in a thread: %s', (_what, where, written) =>
    expect(slashIn(SLACK, place(where))('clear', 'all')).toBe(written),
  );

  test('what is said outside of the thread that it belongs to', () =>
    expect(slashIn(SLACK, place({ person: 'U1', thread: '1.2' }), true)('new')).toBe('/conch new'));

  test('an app that makes no difference, and has its own hyphen', () =>
    expect(slashIn(TELEGRAM, place({ person: '1', thread: '5' }))('tool-prompt')).toBe('/tool_prompt'));

  test('what leads into threads, outside of one', () => {
    expect(slashInThreads(SLACK, place({ person: 'U1' }))?.('stop')).toBe('!stop');
    expect(slashInThreads(SLACK, place({ person: 'U1', thread: '1.2' }))).toBeUndefined();
    expect(slashInThreads(SLACK, place({}))).toBeUndefined();
    expect(slashInThreads(TELEGRAM, place({ person: '1' }))).toBeUndefined();
  });
});
