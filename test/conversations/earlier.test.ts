import { beforeEach, describe, expect, test } from 'vitest';
import type { Draft } from '../../lib/domain/events.ts';
import { compacted, delivered, turnEnded, turnStarted } from '../support/given.ts';
import { Room } from './room.ts';

let room: Room;
beforeEach(async () => {
  room = await Room.open();
});

/** A worker answers what waits. */
async function answered(text = 'an answer', more: { notice?: string } = {}): Promise<void> {
  const { waiting, memory } = await room.state();
  const messages = [...waiting];
  await room.work(turnStarted(messages, { memory }));
  await room.work(turnEnded(messages, { memory: memory.id, text, ...more }) as Draft);
  await room.work(delivered());
}

async function talk(text: string, answer = 'an answer'): Promise<void> {
  await room.say(text);
  await answered(answer);
}

async function running(): Promise<void> {
  await room.say('a long question');
  const { waiting, memory } = await room.state();
  await room.work(turnStarted([...waiting], { memory }));
}

const types = async () => (await room.events()).map((event) => ('type' in event ? event.type : ''));
const lastEvent = async () => (await room.events()).at(-1);

describe('/resume (SPEC 4.2)', () => {
  test('in a place that began with /new too', async () => {
    await room.say('/new');
    await talk('About whales');
    await room.say('/new');
    expect((await room.say('/resume')).labels).toEqual(['About whales · just now']);
    await room.say('/resume “whales”');
    expect(await lastEvent()).toMatchObject({ type: 'conversation.resumed' });
  });

  test('SPEC 4.11: Go back says what holds again, and what no longer does', async () => {
    await talk('whales');
    await room.say('/goal Speak of whales');
    await room.say('/new');
    await room.say('/goal Speak of dolphins');
    await room.say('/plan on');
    const back = 'You are back in the conversation from before.';
    const shown = room.messages.find(({ labels }) => labels.includes('Go back'));
    expect((await room.press('Go back', 'ana', shown)).text).toBe(
      `${back} Its goal holds again, in the place of the newer one. Plan mode is off.`,
    );
    await room.say('/goal clear');
    await room.say('/plan on');
    await room.say('/new');
    await room.say('/goal Speak of seals');
    const again = room.messages.find(({ labels }) => labels.includes('Go back'));
    expect((await room.press('Go back', 'ana', again)).text).toBe(
      `${back} The goal of the conversation that you left no longer holds. Plan mode is on.`,
    );
  });

  test('words keep to those that they fit, page after page', async () => {
    room = await Room.open({ limits: { buttonLimit: 3 } });
    for (let n = 1; n <= 8; n++) {
      await room.say(`${n % 2 ? 'tax' : 'cake'} ${n}`);
      await room.say('/new');
    }
    const labels = () => room.last.labels.map((label) => label.split(' ·')[0]);
    await room.say('/resume cake');
    expect([room.last.text, labels()]).toEqual([
      'More than one earlier conversation fits “cake”. Which one?',
      ['cake 8', 'cake 6', 'More'],
    ]);
    await room.press('More');
    expect([room.last.text, labels()]).toEqual([
      'More than one earlier conversation fits “cake”. Which one?',
      ['cake 4', 'cake 2'],
    ]);
    await room.say('/stop');
    await room.press('cake 2 · just now', 'ana', room.messages.at(-2));
    expect(await lastEvent()).toMatchObject({ title: 'cake 2' });
  });

  test('SPEC 11.4: a number means the one that the list on screen shows by it', async () => {
    room = await Room.open({ limits: { hasButtons: false, buttonLimit: 4 } });
    for (let n = 0; n < 9; n++) {
      await room.say(`c${n}`);
      await room.say('/new');
    }
    await room.say('/stop');
    await room.say('/resume');
    await room.say('4');
    expect(room.last.labels[0]).toBe('c5 · just now');
    expect((await room.say('/resume 9')).text).toContain('I find no earlier conversation for “9”.');
    await room.say('/resume');
    await room.say('4');
    expect((await room.say('/resume 1')).text).toContain('You are back in “c5”.');
    room.now += 600_000;
    expect((await room.say('/resume 2')).text).toContain('You are back in “c7”.');
  });

  test('lists earlier conversations with title and age, the one left last first; a pick resumes it', async () => {
    await talk('About whales and their songs');
    room.now += 3 * 86_400_000;
    await room.say('/new');
    await talk('Dinner for six');
    await room.say('/new');
    const list = await room.say('/resume');
    expect([list.text, list.labels]).toEqual([
      'Which conversation shall we go on with?',
      ['Dinner for six · just now', 'About whales and their songs · 3 days ago'],
    ]);
    const back = await room.press('About whales and their songs · 3 days ago');
    expect([back.text, back.labels]).toEqual([
      'You are back in “About whales and their songs”. I remember it as it was when you left it; /export sends you all of it.',
      ['Go back'],
    ]);
    expect(await lastEvent()).toMatchObject({
      ...{ type: 'conversation.resumed', command: 'resume', pressed: true, title: 'About whales and their songs' },
      resumed: { conversation: 0, memory: { id: 0, messages: 1 }, first: 1 },
    });
    expect((await room.state()).memory).toMatchObject({ id: 0, messages: 1 });
    expect((await room.press('Go back')).text).toBe('You are back in the conversation from before.');
  });

  test('a number, a title or words of it resume at once; words that fit several ask which', async () => {
    for (const title of ['Whales', 'Whales and ships', 'Ships in a storm', 'Last']) {
      await talk(title);
      await room.say('/new');
    }
    expect((await room.say('/resume 2')).text).toMatch(/^You are back in “Ships in a storm”/u);
    expect((await room.say('/resume whales')).text).toMatch(/^You are back in “Whales”/u);
    expect((await room.say('/resume  AND   ships')).text).toMatch(/^You are back in “Whales and ships”/u);
    const several = await room.say('/resume s');
    expect(several.text).toBe('More than one earlier conversation fits “s”. Which one?');
    expect(several.labels).toEqual(['Whales · just now', 'Ships in a storm · just now', 'Last · just now']);
    const unknown = await room.say('/resume *tigers*');
    expect(unknown.text).toBe('I find no earlier conversation for “\\*tigers\\*”. These are here:');
    expect(unknown.labels).toHaveLength(3);
    expect((await types()).filter((type) => type === 'conversation.resumed')).toHaveLength(3);
  });

  test('before there is one it says so', async () => {
    expect((await room.say('/resume')).text).toBe(
      'There is no earlier conversation here. /new starts a new one and keeps this one for later.',
    );
  });

  test('SPEC 11.5: more than fit go on behind More', async () => {
    for (let n = 1; n <= 12; n++) {
      await talk(`No ${n}`);
      await room.say('/new');
    }
    const first = await room.say('/resume');
    expect(first.labels).toHaveLength(8);
    expect(first.labels.at(-1)).toBe('More');
    const second = await room.press('More');
    expect(second.labels.map((label) => label.split(' · ')[0])).toEqual(['No 5', 'No 4', 'No 3', 'No 2', 'No 1']);
    expect((await room.press(second.labels[4] ?? '')).text).toMatch(/back in “No 1”/u);
  });

  test('SPEC 4.8: while a turn runs or anything waits it is refused with the reason, typed or pressed', async () => {
    await talk('Whales');
    await room.say('/new');
    const list = await room.say('/resume');
    await room.say('something');
    const waiting = 'A message of yours is still waiting for its answer. Wait until I am done; then resume.';
    expect((await room.say('/resume 1')).text).toBe(waiting);
    await room.work(turnStarted([...(await room.state()).waiting], { memory: (await room.state()).memory }));
    const answering = 'I am still answering. Stop me first, or wait until I am done; then resume.';
    expect((await room.say('/resume 1')).text).toBe(answering);
    await room.press(list.labels[0] ?? '', 'ana', list);
    expect(room.whispers.at(-1)).toBe(answering);
    expect(await types()).not.toContain('conversation.resumed');
  });

  test('SPEC 6.3: its goal and plan mode come back with it', async () => {
    await talk('Whales');
    await room.say('/goal Speak of whales');
    await room.say('/plan on');
    await room.say('/new');
    expect((await room.state()).goal).toBeUndefined();
    expect((await room.say('/resume 1')).text).toContain('Its goal holds again. Plan mode is on.');
    expect(await room.state()).toMatchObject({ goal: 'Speak of whales', options: { mode: 'plan' } });
  });

  test('cases C 44, 49: another person’s press and a late one have no effect', async () => {
    await talk('Whales');
    await room.say('/new');
    const list = await room.say('/resume');
    await room.press(list.labels[0] ?? '', 'ben', list);
    expect(room.whispers.at(-1)).toBe('This button is for somebody else.');
    room.now += 601_000;
    await room.press(list.labels[0] ?? '', 'ana', list);
    expect(room.whispers.at(-1)).toMatch(/no longer works/u);
    expect(await types()).not.toContain('conversation.resumed');
  });

  test('SPEC 4.3: in a group it works in a private chat; a stranger hears what strangers hear', async () => {
    for (const command of ['/resume', '/export', '/retry', '/review', '/cancel']) {
      expect((await room.say(command, 'ana', { group: true })).text).toBe('That works in a private chat with me.');
    }
    const closed = await Room.open({ access: 'owner' });
    expect((await closed.say('/export', 'ben')).text).toBe('This bot answers its owner only.');
    expect((await closed.say('/retry', 'ben')).text).toBe('');
  });
});

describe('/export (SPEC 4.2, 5.1)', () => {
  test('the whole conversation as a file, also what was cleared, with a line where the memory starts', async () => {
    await talk('My cat is called Mitzi', 'Noted.');
    await room.say('/clear');
    await room.say('/undo');
    await room.say('/clear');
    await talk('What is 2+2?', '4');
    const file = await room.say('/export');
    expect(file.file).toMatch(/^conversation-\d{4}-\d\d-\d\d\.md$/u);
    const text = file.text.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/gu, 'NOW');
    expect(text).toBe(
      [
        '# Conversation',
        '**You**, NOW\n\nMy cat is called Mitzi',
        '**Conch**, NOW\n\nNoted.',
        '---\n\n*The memory starts here.*\n\n---',
        '**You**, NOW\n\nWhat is 2+2?',
        '**Conch**, NOW\n\n4\n',
      ].join('\n\n'),
    );
  });

  test('as JSON, with the same lines', async () => {
    await talk('Hi');
    const file = await room.say('/export json');
    expect(file.file).toMatch(/\.json$/u);
    const { exportedAt, entries } = JSON.parse(file.text);
    expect(new Date(exportedAt).getTime()).toBe(room.now);
    expect(entries).toEqual([
      { at: expect.any(String), kind: 'message', from: 'you', text: 'Hi' },
      { at: expect.any(String), kind: 'message', from: 'conch', text: 'an answer' },
    ]);
  });

  test('SPEC 8.3, 8.7: a compaction is one line with the tokens before; its summary is nowhere', async () => {
    await talk('Hi');
    await room.say('again');
    const { waiting, memory } = await room.state();
    await room.work(turnStarted([...waiting], { memory }));
    await room.work(compacted(0, 1, { summary: 'a secret summary', trigger: 'manual', preTokens: 84_200 }) as Draft);
    await room.work(compacted(0, 1, { summary: 'a secret summary', trigger: 'odd' }) as Draft);
    await room.work(turnEnded([...waiting], { notice: 'The answer was cut off.' }) as Draft);
    const { text } = await room.say('/export md');
    expect(text).toContain('*Compacted on your request, 84.2k tokens before*');
    expect(text).toContain('*Compacted automatically*');
    expect(text).toContain('an answer\n\nThe answer was cut off.');
    expect(text).not.toContain('secret');
  });

  test('only this conversation, but with what a turn of it has added later (SPEC 4.11)', async () => {
    await running();
    const { waiting: _none, turn } = await room.state();
    await room.say('/new');
    await room.work(turnEnded(turn?.messages ?? [], { text: 'late words' }) as Draft);
    await room.work(delivered());
    await talk('Another topic');
    const { text } = await room.say('/export “Markdown”');
    expect(text).toContain('Another topic');
    expect(text).not.toMatch(/long question|late words/u);
    await room.say('/resume 1');
    const back = (await room.say('/export')).text;
    expect(back).toMatch(/long question.*late words/su);
    expect(back).not.toContain('Another topic');
  });

  test('a command that was filled in shows as typed (SPEC 10.3), also while a turn runs (SPEC 4.8)', async () => {
    await room.say('/review the intro');
    await room.work(turnStarted([...(await room.state()).waiting]));
    const { text } = await room.say('/export');
    expect(text).toContain('/review the intro');
    expect(text).not.toContain('critically');
  });

  test('nothing yet, and an unknown form', async () => {
    expect((await room.say('/export')).text).toBe('There is nothing to export yet.');
    expect((await room.say('/export “json”')).text).toBe('There is nothing to export yet.');
    expect((await room.say('/export pdf')).text).toBe('I can export as /export markdown or /export json.');
    expect(room.messages.some(({ file }) => file)).toBe(false);
  });
});

describe('/retry and /review (SPEC 4.2)', () => {
  test('the last message after the newest clear is sent again, as one message that is answered like any other', async () => {
    await talk('One');
    await talk('Two');
    expect((await room.say('/retry')).text).toBe('');
    expect(await lastEvent()).toEqual({
      ...{ type: 'message', command: 'retry', content: { text: 'Two' }, memory: 0, conversation: 0 },
    });
    expect((await room.state()).waiting).toHaveLength(1);
    await answered();
    await room.say('/again');
    expect(await lastEvent()).toMatchObject({ type: 'message', content: { text: 'Two' } });
  });

  test('case H 103 and SPEC 10.3: the stored words of a command go again, with what was typed', async () => {
    await talk('/review the intro');
    const first = (await room.events()).find((event) => 'content' in event) as { content: { text: string } };
    expect(first.content).toMatchObject({ command: { name: 'review', display: '/review the intro' } });
    expect(first.content.text).toMatch(/^Review critically.*To review: the intro$/su);
    await room.say('/retry');
    expect(await lastEvent()).toMatchObject({ type: 'message', command: 'retry', content: first.content });
  });

  test('nothing after a clear, nothing before a conversation', async () => {
    expect((await room.say('/retry')).text).toBe('There is no message to send again.');
    await talk('One');
    await room.say('/clear');
    expect((await room.say('/retry')).text).toBe('There is no message to send again.');
    await room.say('/undo');
    await room.say('/retry');
    expect(await lastEvent()).toMatchObject({ type: 'message', content: { text: 'One' } });
  });

  test('SPEC 4.8: while a turn runs or a message waits, /retry says why not; /review waits its turn', async () => {
    await room.say('One');
    expect((await room.say('/retry')).text).toBe('Your last message is still waiting for its answer.');
    await room.work(turnStarted([1]));
    expect((await room.say('/retry')).text).toMatch(/^I am still answering/u);
    expect((await room.say('/review')).text).toBe('');
    expect((await room.state()).waiting).toEqual([5]);
  });

  test('by a did-you-mean it is a message too, and nothing is said besides', async () => {
    await talk('One');
    const meant = await room.say('/retyr');
    const shown = room.messages.length;
    await room.press('/retry', 'ana', meant);
    expect(await lastEvent()).toMatchObject({ type: 'message', command: 'retry', content: { text: 'One' } });
    expect(room.messages).toHaveLength(shown);
  });
});
