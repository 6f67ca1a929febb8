import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { discord } from '../../../lib/channels/discord/index.ts';
import type { Channel, Incoming, IncomingPress, Outgoing, Piece, Responder } from '../../../lib/ports/chatApp.ts';
import { command, DiscordStandIn, GUILD, placeId, press, shownText, somebody } from '../../standins/discord.ts';
import { refusedMessage } from '../../standins/discordRules.ts';
import { channel as connected } from './channel.ts';

const OPTIONS = { timeoutMs: 5_000 };
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

let standIn: DiscordStandIn;
let channel: Channel;
beforeEach(async () => {
  standIn = await DiscordStandIn.start();
  channel = { ...connected, apiRoot: standIn.root, secrets: { botToken: standIn.botToken } };
});
afterEach(async () => {
  vi.useRealTimers();
  await standIn.close();
});

function piece(markdown: string, more: Partial<Outgoing> = {}): Piece {
  const [first] = discord.render({ markdown, ...more });
  if (!first) throw new Error('Nothing was rendered');
  return first;
}

function responding(
  interaction: Record<string, unknown>,
  options: { answered?: number } = {},
): {
  incoming: Incoming & IncomingPress;
  responder: Responder;
} {
  standIn.know(interaction, options);
  const [incoming] = discord.read(bytes(interaction), channel, Date.now());
  const responder = incoming && discord.responder?.(channel, incoming);
  if (!responder) throw new Error('No responder');
  return { incoming: incoming as Incoming & IncomingPress, responder };
}

const ana = somebody();
const place = { channel: placeId(), guild: GUILD };

describe('a command', () => {
  test('its reply is the HTTP answer, with the words that were chosen, and no call (SPEC 12.2)', async () => {
    const { incoming, responder } = responding(command('goal', ana, place, 'a`b @everyone'));
    await responder.post(incoming.to, piece('Goal set.'), OPTIONS);
    const { status, body } = responder.answer();
    const data = body?.data as Record<string, unknown>;
    expect([status, body?.type, data.flags]).toEqual([200, 4, 68]);
    expect(refusedMessage(data)).toBeUndefined();
    expect(shownText(String(data.content))).toBe('/goal a`b @everyone\nGoal set.');
    expect(standIn.calls).toEqual([]);
  });

  test('a reply of two messages is answered by calls, in their order, both for the person alone', async () => {
    const { incoming, responder } = responding(command('help', ana, place));
    for (const text of ['one', 'two', 'three']) await responder.post(incoming.to, piece(text), OPTIONS);
    expect(responder.answer()).toEqual({ status: 202 });
    expect(standIn.messages.map(({ content, ephemeral }) => [shownText(content), ephemeral])).toEqual([
      ['/help\none', true],
      ['two', true],
      ['three', true],
    ]);
  });

  test('a command that was acknowledged already counts as answered', async () => {
    const { incoming, responder } = responding(command('help', ana, place));
    await responder.post(incoming.to, piece('one'), OPTIONS);
    standIn.fail({ kind: 'refuse', status: 400, code: 40060, message: 'Already' }, { path: /callback/ });
    standIn.fail({ kind: 'hang', effect: true }, { times: 0 });
    await responder.post(incoming.to, piece('two'), OPTIONS);
    expect(responder.answer()).toEqual({ status: 202 });
  });

  test('a file is sent by calls, for the person alone', async () => {
    const { incoming, responder } = responding(command('export', ana, place));
    const file = { name: 'chat.md', mimeType: 'text/markdown', bytes: bytes('x') };
    expect(await responder.file(incoming.to, file, OPTIONS)).toMatchObject({ kind: 'sent' });
    expect(responder.answer()).toEqual({ status: 202 });
    expect(standIn.messages).toMatchObject([{ ephemeral: true, deferred: false, file: { name: 'chat.md' } }]);
  });

  test('what goes elsewhere meanwhile is no answer', async () => {
    const { responder } = responding(command('status', ana, place));
    const owner = somebody('owner');
    await responder.post(discord.privateChat(owner.id) ?? { chat: '' }, piece('Somebody asks'), OPTIONS);
    expect(standIn.shown(standIn.direct(owner.id))).toEqual(['Somebody asks']);
    expect(responder.answer().body).toMatchObject({ type: 4, data: { flags: 64 } });
  });

  test('a reply that comes after the answer had to go out takes its place (DESIGN 3a)', async () => {
    const { incoming, responder } = responding(command('status', ana, place), { answered: 5 });
    vi.useFakeTimers({ now: Date.now() + 3_000, toFake: ['Date'] });
    expect(await responder.post(incoming.to, piece('After all.'), OPTIONS)).toMatchObject({ kind: 'sent' });
    expect(standIn.messages.map(({ content }) => shownText(content))).toEqual(['/status\nAfter all.']);
    expect(standIn.calls.map(({ path }) => path.replace(/.*messages/, ''))).toEqual(['/@original']);
  });
});

test('a second message that comes after the answer had to go out does not take the first one’s place', async () => {
  const { incoming, responder } = responding(command('help', ana, place), { answered: 5 });
  await responder.post(incoming.to, piece('one'), OPTIONS);
  vi.useFakeTimers({ now: Date.now() + 3_000, toFake: ['Date'] });
  await responder.post(incoming.to, piece('two'), OPTIONS);
  expect(standIn.messages.map(({ content }) => shownText(content))).toEqual(['/help\none', 'two']);
});

describe('a message', () => {
  test('is deferred once it is in the log, and only then', () => {
    const { responder } = responding(command('ask', ana, place, 'why?'));
    responder.defer();
    expect(responder.answer()).toEqual({ status: 200, body: { type: 5 } });
    const silent = responding(command('ask', ana, place, 'why?')).responder;
    expect(silent.answer().body).toMatchObject({ type: 4, data: { flags: 64 } });
  });
});

describe('a press', () => {
  const shown = (fields: object) => ({
    id: placeId(),
    channel_id: place.channel,
    content: 'Cleared.',
    flags: 64,
    ...fields,
  });
  const pressed = (fields: object = {}) => responding(press('a:x:0', ana, place, shown(fields)));

  test('that changes its message does so in the HTTP answer', async () => {
    const { incoming, responder } = pressed();
    await responder.answerPress(incoming);
    await responder.edit(incoming.to, responder.pressedMessage(incoming) ?? '', piece('Undone.'), OPTIONS);
    expect(responder.answer().body).toMatchObject({ type: 7, data: { content: 'Undone.', components: [] } });
  });

  test('without anything to show is acknowledged', () => {
    expect(pressed().responder.answer()).toEqual({ status: 200, body: { type: 6 } });
  });

  test('too late, on a message that only its person sees: said there, without buttons (SPEC 11.2)', async () => {
    const { incoming, responder } = pressed();
    await Promise.all([responder.answerPress(incoming, 'Too *late*.'), responder.removeChoices(incoming)]);
    const { body } = responder.answer();
    expect(body).toMatchObject({ type: 7, data: { components: [] } });
    const data = body?.data as { content?: string } | undefined;
    expect(shownText(data?.content ?? '')).toBe('Cleared.\n\nToo *late*.');
  });

  test('too late, on a message that all see: said to the person alone, and the buttons go by a call', async () => {
    const message = shown({ flags: 0 });
    const sent = await discord.sender(channel).post({ chat: place.channel, group: true }, piece('A plan'), OPTIONS);
    const id = sent.kind === 'sent' ? sent.id.slice(2) : '';
    const { incoming, responder } = responding(press('a:x:0', ana, place, { ...message, id }));
    await Promise.all([responder.answerPress(incoming, 'Too late.'), responder.removeChoices(incoming)]);
    expect(responder.answer().body).toMatchObject({ type: 4, data: { content: 'Too late.', flags: 64 } });
    expect(standIn.calls.at(-1)).toMatchObject({ method: 'PATCH', body: { components: [] }, status: 200 });
  });

  test('of somebody else is answered to them alone (case 44)', async () => {
    const { incoming, responder } = pressed({ flags: 0 });
    await responder.answerPress(incoming, 'This button is for somebody else.');
    expect(responder.answer().body).toMatchObject({ type: 4, data: { flags: 64 } });
    expect(standIn.calls).toEqual([]);
  });

  test('that runs a command shows its reply in the place of a private message', async () => {
    const { incoming, responder } = pressed();
    await Promise.all([responder.answerPress(incoming), responder.removeChoices(incoming)]);
    await responder.post(incoming.to, piece('Status.', { onlyFor: ana.id }), OPTIONS);
    const { body } = responder.answer();
    expect(body).toMatchObject({ type: 7, data: { content: 'Status.', components: [] } });
    expect(refusedMessage(body?.data as Record<string, unknown>, { edit: true })).toBeUndefined();
  });
});

describe('what cannot be taken in time (DESIGN 3a)', () => {
  test('a command hears that it is not sure, alone', () => {
    const answer = discord.apology?.(bytes(command('status', ana, place)));
    expect(answer).toMatchObject({ type: 4, data: { flags: 64, content: expect.stringMatching(/^Not sure/) } });
  });

  test('a value that is being typed gets no list; a PING and other bodies no excuse', () => {
    const typed = { ...command('model', ana, place), type: 4 };
    expect(discord.apology?.(bytes(typed))).toEqual({ type: 8, data: { choices: [] } });
    expect(discord.apology?.(bytes({ ...typed, type: 1 }))).toBeUndefined();
    expect(discord.apology?.(bytes('nothing'))).toBeUndefined();
  });
});
