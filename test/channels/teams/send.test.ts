import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TeamsAddress } from '../../../lib/channels/teams/address.ts';
import { teams } from '../../../lib/channels/teams/index.ts';
import type { Channel, IncomingPress, Outgoing, Piece, Sender } from '../../../lib/ports/chatApp.ts';
import { buttonsOf, direct, GENERAL, LUNCH, shownOf, TENANT, TeamsStandIn } from '../../standins/teams.ts';
import { at } from './channel.ts';

const ANA = '29:1ana';
const PRIVATE: TeamsAddress = { chat: ANA, channel: direct(ANA), message: '1790000000001' };
const IN_THREAD: TeamsAddress = { chat: GENERAL, thread: '1789999999000', message: '1790000000002', group: true };
const OPTIONS = { timeoutMs: 2_000 };

let standIn: TeamsStandIn;
let channel: Channel;
let sender: Sender;
beforeEach(async () => {
  standIn = await TeamsStandIn.start();
  channel = at(standIn);
  sender = teams.sender(channel);
  // The private chat is open, and a token is at hand.
  await sender.post({ chat: ANA }, piece('first'), OPTIONS);
  standIn.calls.length = 0;
});
afterEach(() => standIn.close());

function piece(markdown: string, more: Partial<Outgoing> = {}): Piece {
  const [first] = teams.render({ markdown, ...more });
  if (!first) throw new Error('Nothing was rendered');
  return first;
}

const UNDO = { choices: [{ label: 'Undo', value: 'a:x1:0' }] };
const kinds = () => standIn.calls.map(({ kind }) => kind);
const newest = () => standIn.messages.at(-1);

function pressOn(way: 'invoke' | 'submit' = 'submit', person = ANA): IncomingPress {
  const message = newest();
  const activity = message && standIn.pressOf(message, 'Undo', person, way);
  const [read] = teams.read(new TextEncoder().encode(JSON.stringify(activity)), channel, Date.now());
  if (read?.kind !== 'press') throw new Error('No press was read');
  return read;
}

describe('where a message goes (SPEC 13.7)', () => {
  test.each<[string, TeamsAddress, string]>([
    ['a private chat', PRIVATE, direct(ANA)],
    ['its thread', IN_THREAD, `${GENERAL};messageid=1789999999000`],
    ['a chat of several', { chat: LUNCH, group: true }, LUNCH],
  ])('to %s', async (_case, to, conversation) => {
    const sent = await sender.post(to, piece('**hi** <at>all</at>'), OPTIONS);
    expect(sent).toEqual({ kind: 'sent', id: newest()?.id });
    expect(newest()).toMatchObject({ conversation, history: ['hi <at>all</at>'] });
    expect(standIn.callsOf('post')).toMatchObject([
      { body: { type: 'message', textFormat: 'markdown', text: '**hi** &lt;at&gt;all&lt;/at&gt;' } },
    ]);
  });

  test('to a person who is known by their id alone: their chat is opened first', async () => {
    const to = teams.privateChat('29:1ben');
    expect(to).toEqual({ chat: '29:1ben' });
    await sender.post({ chat: '29:1ben' }, piece('hi'), OPTIONS);
    expect(kinds()).toEqual(['create', 'post']);
    expect(standIn.callsOf('create')[0]?.body).toMatchObject({ members: [{ id: '29:1ben' }], tenantId: TENANT });
    expect(standIn.visible(direct('29:1ben'))).toEqual(['hi']);
  });

  test.each([
    ['another host under the same domain', 'https://evil.trafficmanager.net/teams'],
    ['a host that ends alike', 'https://smba.trafficmanager.net.evil.example/teams'],
    ['a password in front', 'https://smba.trafficmanager.net@evil.example/teams'],
    ['another port', 'https://smba.trafficmanager.net:8443/teams'],
    ['no https', 'http://smba.trafficmanager.net/teams'],
    ['a name that only looks like Microsoft’s', 'https://evilteams.microsoft.com.example'],
    ['Microsoft’s name in front of another', 'https://smba.teams.microsoft.com.evil.example/teams'],
  ])('the token goes to nobody else: %s', async (_case, serviceUrl) => {
    const { apiRoot: _none, ...own } = channel;
    const to: TeamsAddress = { ...PRIVATE, serviceUrl };
    const result = await teams.sender(own).post(to, piece('hi'), OPTIONS);
    expect(result).toMatchObject({ kind: 'dead', reason: '403 NotMicrosofts' });
    expect(standIn.calls).toEqual([]);
  });
});

describe('the token', () => {
  test('is fetched once by all that need it at once, and kept', async () => {
    const fresh = teams.sender({ ...channel, settings: { ...channel.settings, loginRoot: `${standIn.origin}/` } });
    const all = await Promise.all([1, 2, 3].map(() => fresh.post(PRIVATE, piece('hi'), OPTIONS)));
    await fresh.post(PRIVATE, piece('hi'), OPTIONS);
    expect(all.map(({ kind }) => kind)).toEqual(['sent', 'sent', 'sent']);
    expect(standIn.callsOf('login')).toHaveLength(1);
  });

  test('that does not serve any more is replaced, and the message goes out', async () => {
    standIn.revokeTokens();
    expect(await sender.post(PRIVATE, piece('hi'), OPTIONS)).toMatchObject({ kind: 'sent' });
    expect(kinds()).toEqual(['post', 'login', 'post']);
  });

  test('that is refused twice, or cannot be had, says which', async () => {
    standIn.fail({ kind: 'error', status: 401 }, { kind: 'post', times: 2 });
    expect(await sender.post(PRIVATE, piece('hi'), OPTIONS)).toMatchObject({ kind: 'dead', scope: 'channel' });
    const wrong = { ...channel, secrets: { appPassword: 'not~the~secret' } };
    const dead = { kind: 'dead', scope: 'channel', reason: 'invalid_client' };
    expect(await teams.sender(wrong).post(PRIVATE, piece('hi'), OPTIONS)).toEqual(dead);
    standIn.fail({ kind: 'error', status: 503 }, { kind: 'login' });
    const other = { ...channel, secrets: { appPassword: 'another~secret' } };
    const later = await teams.sender(other).post(PRIVATE, piece('hi'), OPTIONS);
    expect(later).toMatchObject({ kind: 'refused', reason: 'no token: status 503' });
  });
});

describe('what Teams answers (SPEC 13.6)', () => {
  const failure = (status: number, code?: string, retryAfterS?: number) => ({
    ...{ kind: 'error' as const, status },
    ...(code === undefined ? {} : { code }),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  });

  test.each([
    ['too many', failure(429, 'Throttled', 7), { kind: 'refused', retryAfterMs: 7_000 }],
    ['others write at the same moment', failure(412, 'PreconditionFailed'), { kind: 'refused', retryAfterMs: 1_000 }],
    ['the bot is not there any more', failure(403, 'BotNotInConversationRoster'), { kind: 'dead', scope: 'chat' }],
    ['the person has blocked it', failure(403, 'ConversationBlockedByUser'), { kind: 'dead', scope: 'chat' }],
    ['there is no such conversation', failure(404, 'ConversationNotFound'), { kind: 'dead', scope: 'chat' }],
    ['what the bot may not do there', failure(403, 'NotEnoughPermissions'), { kind: 'dead', scope: 'chat' }],
    [
      'a message to answer that is gone',
      failure(404, 'ActivityNotFoundInConversation'),
      { kind: 'dead', scope: 'message' },
    ],
    ['a wrong method', failure(405, 'MethodNotAllowed'), { kind: 'dead', scope: 'message' }],
    ['a fault of the service', failure(502, 'ServiceError'), { kind: 'unknown' }],
    ['no answer', { kind: 'hang' as const, effect: true }, { kind: 'unknown', reason: 'timeout' }],
    ['a broken connection', { kind: 'reset' as const, effect: false }, { kind: 'unknown' }],
  ])('%s', async (_case, how, expected) => {
    standIn.fail(how, { kind: 'post' });
    expect(await sender.post(PRIVATE, piece('hi'), { timeoutMs: 500 })).toMatchObject(expected);
    expect(standIn.callsOf('post')).toHaveLength(1);
  });

  test.each([400, 413])(
    'a form that is refused with %i goes out once more as words alone (SPEC 13.1)',
    async (status) => {
      standIn.fail(failure(status, 'Bad Argument'), { kind: 'post' });
      expect(await sender.post(PRIVATE, piece('**hi** _you_'), OPTIONS)).toMatchObject({ kind: 'sent' });
      expect(newest()?.activity).toMatchObject({ textFormat: 'plain', text: 'hi you' });
    },
  );

  test.each([
    [400, 'BadSyntax'],
    [413, 'MessageSizeTooBig'],
  ])(
    'a message that is refused with %i, as words alone too, is of that message: the chat goes on',
    async (status, code) => {
      standIn.fail(failure(status, code), { kind: 'post', times: 2 });
      expect(await sender.post(PRIVATE, piece('**hi**'), OPTIONS)).toMatchObject({ kind: 'dead', scope: 'message' });
    },
  );

  test('where nobody listens nothing was sent', async () => {
    const away = { ...channel, apiRoot: 'http://127.0.0.1:65530' };
    const result = await teams.sender(away).post(PRIVATE, piece('hi'), OPTIONS);
    expect(result).toEqual({ kind: 'refused', retryAfterMs: 1_000, reason: 'ECONNREFUSED' });
  });

  test('no result tells a secret', async () => {
    const results = [];
    for (const status of [400, 401, 403, 404, 429, 500]) {
      standIn.fail(failure(status, channel.secrets.appPassword), { kind: 'post', times: 2 });
      results.push(await sender.post(PRIVATE, piece('hi'), OPTIONS));
    }
    expect(JSON.stringify(results)).not.toMatch(new RegExp(`${channel.secrets.appPassword}|token-\\d`));
  });
});

describe('edits', () => {
  test('change the message where it stands, in a thread too', async () => {
    const sent = await sender.post(IN_THREAD, piece('…'), OPTIONS);
    if (sent.kind !== 'sent') throw new Error('Not sent');
    expect(await sender.edit(IN_THREAD, sent.id, piece('It rains.'), OPTIONS)).toEqual(sent);
    expect(newest()?.history).toEqual(['…', 'It rains.']);
  });

  test('make a card with choices of a text that grew (SPEC 7.2)', async () => {
    const sent = await sender.post(PRIVATE, piece('…'), OPTIONS);
    if (sent.kind !== 'sent') throw new Error('Not sent');
    expect(await sender.edit(PRIVATE, sent.id, piece('The plan.', UNDO), OPTIONS)).toEqual(sent);
    expect(newest()?.history).toEqual(['…', 'The plan.']);
    expect(buttonsOf(newest()?.activity ?? {})).toMatchObject([{ title: 'Undo' }]);
  });

  test('of a message that the person deleted, and of one in a chat that is gone', async () => {
    expect(await sender.edit(PRIVATE, '999', piece('hi'), OPTIONS)).toMatchObject({ kind: 'missing' });
    standIn.remove(direct(ANA));
    expect(await sender.edit(PRIVATE, '999', piece('hi'), OPTIONS)).toMatchObject({ kind: 'dead', scope: 'chat' });
  });

  test('typing is shown where the message came from, and a failure of it does not matter', async () => {
    await sender.typing(IN_THREAD);
    expect(standIn.callsOf('post')).toMatchObject([
      { conversation: `${GENERAL};messageid=1789999999000`, body: { type: 'typing' } },
    ]);
    standIn.remove(direct(ANA));
    await sender.typing(PRIVATE);
  });
});

describe('presses that come as messages', () => {
  test('lose their buttons and keep their words in a private chat', async () => {
    await sender.post(PRIVATE, piece('Cleared *now*.', UNDO), OPTIONS);
    await sender.removeChoices(pressOn());
    expect(newest()?.history).toEqual(['Cleared now.', 'Cleared now.']);
    expect(buttonsOf(newest()?.activity ?? {})).toEqual([]);
  });

  test('are left alone once an earlier press has changed the message', async () => {
    await sender.post(PRIVATE, piece('Cleared.', UNDO), OPTIONS);
    const press = pressOn();
    await sender.edit(PRIVATE, newest()?.id ?? '', piece('Undone.', { inPlace: true }), OPTIONS);
    await sender.removeChoices(press, 'changed');
    expect(shownOf(newest() ?? { conversation: '', id: '', activity: {}, history: [] })).toBe('Undone.');
  });

  test('where others read along the bot says nothing that a changed client could have made up', async () => {
    await sender.post(IN_THREAD, piece('Cleared.', UNDO), OPTIONS);
    const press = { ...pressOn(), message: { words: 'I give everything away.' } };
    await sender.removeChoices(press);
    await sender.answerPress(press, 'This is for one person.');
    expect(standIn.messages.flatMap(({ history }) => history)).toEqual(['first', 'Cleared.']);
  });

  test('are answered by a message, where only their person reads', async () => {
    await sender.post(PRIVATE, piece('Cleared.', UNDO), OPTIONS);
    const press = pressOn();
    await sender.answerPress(press, 'Too *late*.');
    expect(newest()?.activity).toMatchObject({ textFormat: 'plain', text: 'Too *late*.' });
    await sender.answerPress(press);
    expect(standIn.visible(direct(ANA)).slice(1)).toEqual(['Cleared.', 'Too *late*.']);
  });
});
