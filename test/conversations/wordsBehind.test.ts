import { beforeEach, describe, expect, test } from 'vitest';
import { contentOf } from '../../lib/domain/events.ts';
import { custom } from '../support/own.ts';
import { Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.open();
  await room.say('first');
});

const types = async () => (await room.events()).map((event) => ('type' in event ? event.type : ''));
const newest = async () => (await room.events()).at(-1);

describe('SPEC 4.7: a command that stands alone, with words behind it', () => {
  test.each([
    ['/clear the table in your answer', '/clear'],
    ['/undo that last change', '/undo'],
    ['/unclear it', '/undo'],
    ['/retry shorter', '/retry'],
  ])('%s does nothing, and asks what was meant', async (typed, name) => {
    const shown = await room.say(typed);
    expect(shown.text).toBe(`I have done nothing yet: ${name} takes no words after it. What did you mean?`);
    expect(shown.labels).toEqual([name, 'Send as a message']);
    expect(await types()).toEqual(['message', 'command.ran']);
    await room.press('Send as a message');
    expect(contentOf({ type: '', seq: 0, id: '', at: 0, data: await newest() })?.text).toBe(typed);
  });

  test('the command is one tap away, without the words', async () => {
    await room.say('/clear the table');
    await room.press('/clear');
    expect(await newest()).toMatchObject({ type: 'context.cleared' });
  });

  test('also behind a did-you-mean, and by a number where there are no buttons', async () => {
    room = await Room.open({ limits: { hasButtons: false } });
    await room.say('first');
    await room.say('/claer the table');
    await room.say('1');
    expect(room.last.text).toContain('/clear takes no words after it.');
    await room.say('1');
    expect(await newest()).toMatchObject({ type: 'context.cleared' });
  });

  test.each(['/clear .', '/clear 🙏', '/clear \u200b'])('“%s” has no words behind it', async (typed) => {
    await room.say(typed);
    expect(await newest()).toMatchObject({ type: 'context.cleared' });
  });

  test('too many words are not offered again', async () => {
    const { text, labels } = await room.say(`/clear ${'the table '.repeat(900)}`);
    expect(text).toBe(
      'I have done nothing yet: /clear takes no words after it. Please shorten it, or send it again as a message, without “/” in front.',
    );
    expect(labels).toEqual([]);
  });

  test.each(['/stop please', '/status please', '/context now'])('%s does what it says', async (typed) => {
    expect((await room.say(typed)).labels).toEqual([]);
    expect(room.last.text).not.toContain('What did you mean?');
  });
});

describe('SPEC 4.5: a did-you-mean leads to the same sentence as typed words', () => {
  test('a custom command that comes to no words says what is missing', async () => {
    await room.tenants.putCommand('t', custom('tr', { template: '{{args}}' }));
    const typed = await room.say('/tr');
    expect(typed.text).toBe('There is nothing to send yet: write some words after /tr.');
    await room.say('/tf');
    await room.press('/tr');
    expect(room.last.text).toBe(typed.text);
  });

  test('SPEC 10.2: one that its template makes too long says so without a number that nobody typed', async () => {
    await room.tenants.putCommand('t', custom('big', { template: '{{args}}\n'.repeat(8) }));
    expect((await room.say(`/big ${'x'.repeat(12_000)}`)).text).toBe(
      'That is too long for me, with what /big adds to your words. Please write fewer.',
    );
  });
});
