import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ANA, BOT, directChannel, GENERAL, SlackStandIn, tooMany } from './slack.ts';
import { type Params, refusedMessage } from './slackRules.ts';

let slack: SlackStandIn;
beforeEach(async () => {
  slack = await SlackStandIn.start();
});
afterEach(() => slack.close());

async function call(method: string, params: Params, token = slack.botToken) {
  const headers = { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${token}` };
  const response = await fetch(`${slack.root}/${method}`, { method: 'POST', headers, body: JSON.stringify(params) });
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: (await response.json()) as Record<string, string>,
  };
}

const error = async (...[method, params, token]: Parameters<typeof call>) =>
  (await call(method, params, token)).body.error;

const section = { type: 'rich_text_section', elements: [{ type: 'text', text: 'hi' }] };
const rich = (...elements: unknown[]) => ({ blocks: [{ type: 'rich_text', elements }] });
const button = (more: Params = {}) => ({
  ...{ type: 'button', action_id: 'a', value: 'v', text: { type: 'plain_text', text: 'Label' } },
  ...more,
});
const actions = (...elements: unknown[]) => ({ text: 'x', blocks: [{ type: 'actions', elements }] });

describe('what is refused as Slack refuses it', () => {
  test.each<[string, Params, string | undefined]>([
    ['no text', {}, 'no_text'],
    ['a text that an edit could not have', { text: 'x'.repeat(4_001) }, 'msg_too_long'],
    ['a ping', { text: 'hi <!channel>' }, 'stand_in_unescaped_text'],
    ['a bare ampersand', { text: 'a & b' }, 'stand_in_unescaped_text'],
    ['escaped text', { text: 'a &amp; b &lt;!here&gt;' }, undefined],
    ['a rich text', rich(section), undefined],
    ['an empty part', rich({ ...section, elements: [] }), 'invalid_blocks'],
    ['an empty text', rich({ ...section, elements: [{ type: 'text', text: '' }] }), 'invalid_blocks'],
    ['a mention', rich({ ...section, elements: [{ type: 'user', user_id: 'U1' }] }), 'invalid_blocks'],
    ['a link to nowhere', rich({ ...section, elements: [{ type: 'link', text: 'x', url: 'x' }] }), 'invalid_blocks'],
    ['51 blocks', { blocks: Array.from({ length: 51 }, () => rich(section).blocks[0]) }, 'invalid_blocks_format'],
    ['a button', actions(button()), undefined],
    ['two buttons of one name', actions(button(), button()), 'invalid_blocks'],
    ['26 buttons', actions(...Array.from({ length: 26 }, (_, n) => button({ action_id: `${n}` }))), 'invalid_blocks'],
    ['a label of 76', actions(button({ text: { type: 'plain_text', text: 'x'.repeat(76) } })), 'invalid_blocks'],
    ['a value of 2,001', actions(button({ value: 'x'.repeat(2_001) })), 'invalid_blocks'],
  ])('%s', (_case, message, refused) => {
    expect(refusedMessage(message)).toBe(refused);
  });

  test('another token, another method, a parameter that is none, JSON where a form is due', async () => {
    expect(await error('auth.test', {}, 'xoxb-other')).toBe('invalid_auth');
    expect(await error('chat.nothing', {})).toBe('unknown_method');
    expect(await error('chat.postMessage', { channel: GENERAL, text: 'x', mrkdwn: 1 })).toMatch(/^stand_in_unknown/);
    expect(await error('files.getUploadURLExternal', { filename: 'a', length: 1 })).toBe('invalid_arguments');
  });

  test('channels that are unknown, left, archived; people who are not there; a workspace that removed the app', async () => {
    slack.addChannel('C1', [ANA]);
    slack.addChannel('C2');
    const post = (channel: string) => error('chat.postMessage', { channel, text: 'x' });
    expect([await post('C0'), await post('D0'), await post('C1')]).toEqual([
      'channel_not_found',
      'channel_not_found',
      'not_in_channel',
    ]);
    expect(await error('chat.postEphemeral', { channel: 'C2', user: ANA, text: 'x' })).toBe('user_not_in_channel');
    slack.archive('C2');
    expect(await post('C2')).toBe('is_archived');
    slack.uninstall();
    expect(await post(GENERAL)).toBe('account_inactive');
  });

  test('edits of messages that are not there, or for one person alone', async () => {
    slack.addChannel(GENERAL, [BOT, ANA]);
    const only = await call('chat.postEphemeral', { channel: GENERAL, user: ANA, text: 'x' });
    for (const ts of ['1.1', only.body.message_ts]) {
      expect(await error('chat.update', { channel: GENERAL, ts, text: 'y' })).toBe('message_not_found');
    }
  });
});

test('an edit with a text alone takes the blocks away; a person’s id is their private chat', async () => {
  const { body } = await call('chat.postMessage', { channel: ANA, text: 'hi', ...rich(section) });
  expect(body).toMatchObject({ ok: true, channel: directChannel(ANA) });
  await call('chat.update', { channel: body.channel, ts: body.ts, text: 'bye' });
  expect(slack.messages[0]?.blocks).toBeUndefined();
  expect(slack.visible(directChannel(ANA))).toEqual(['bye']);
});

test('a response URL works five times, for the person alone', async () => {
  const url = slack.responseUrl(GENERAL, ANA);
  const use = async () => (await fetch(url, { method: 'POST', body: '{"text":"hi"}' })).status;
  const statuses = [];
  for (let n = 0; n < 6; n++) statuses.push(await use());
  expect(statuses).toEqual([200, 200, 200, 200, 200, 404]);
  expect([slack.visible(GENERAL, ANA).length, slack.visible(GENERAL, 'U9').length]).toEqual([5, 0]);
});

test('failures: too many calls, an error, once each', async () => {
  slack.fail(tooMany(7));
  slack.fail({ kind: 'error', error: 'fatal_error' });
  const results = [await call('auth.test', {}), await call('auth.test', {}), await call('auth.test', {})];
  expect(results.map(({ status, retryAfter, body }) => [status, retryAfter, body.error])).toEqual([
    [429, '7', 'ratelimited'],
    [200, null, 'fatal_error'],
    [200, null, undefined],
  ]);
});
