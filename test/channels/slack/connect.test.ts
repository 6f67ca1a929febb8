import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { slack } from '../../../lib/channels/slack/index.ts';
import { BOT_EVENTS } from '../../../lib/channels/slack/manifest.ts';
import type { Channel } from '../../../lib/ports/chatApp.ts';
import vectors from '../../fixtures/slack/vectors.json' with { type: 'json' };
import { APP, BOT, GENERAL, SlackPayloads, SlackStandIn, TEAM, tooMany } from '../../standins/slack.ts';
import { at, channel as connected, encode, SECRET } from './channel.ts';

let standIn: SlackStandIn;
let channel: Channel;
beforeEach(async () => {
  standIn = await SlackStandIn.start();
  channel = at(standIn);
});
afterEach(() => standIn.close());

describe('the signature of a request', () => {
  const verified = (of: { body: string; timestamp: string; signature: string; nowSeconds: number }, secret: string) => {
    const headers = { 'x-slack-request-timestamp': of.timestamp, 'x-slack-signature': of.signature };
    const request = { headers, body: new TextEncoder().encode(of.body) };
    const signing = { ...connected, secrets: { signingSecret: secret } };
    return slack.verify(request, signing, of.nowSeconds * 1000);
  };

  test.each(vectors.vectors)('$name: $expect', (vector) => {
    expect(verified(vector, vectors.signingSecret)).toMatchObject({ ok: vector.expect === 'accept' });
  });

  test('the example of Slack’s own page passes', () => {
    const example = vectors.documentedExample;
    expect(verified(example, example.signingSecret)).toEqual({ ok: true });
  });
});

describe('the fields of a channel', () => {
  const TOKEN = `xoxb-${'1'.repeat(20)}`;

  test('are taken, white space around them dropped', () => {
    const body = { signingSecret: ` ${SECRET}\n`, botToken: `${TOKEN} ` };
    const secrets = { signingSecret: SECRET, botToken: TOKEN };
    expect(slack.fields.parse(body)).toEqual({ ok: true, secrets, settings: {} });
  });

  test.each([
    ['no signing secret', { botToken: TOKEN }, 'signingSecret', /Signing Secret/],
    [
      'a pasted line',
      { signingSecret: `Signing Secret: ${SECRET}`, botToken: TOKEN },
      'signingSecret',
      /not a signing/,
    ],
    ['no token', { signingSecret: SECRET }, 'botToken', /Bot User OAuth Token/],
    ['an app-level token', { signingSecret: SECRET, botToken: 'xapp-1-111111111111' }, 'botToken', /app-level/],
    ['a person’s token', { signingSecret: SECRET, botToken: 'xoxp-111111111111' }, 'botToken', /person/],
    ['a token that rotates', { signingSecret: SECRET, botToken: 'xoxe.xoxb-111111111' }, 'botToken', /rotation/],
  ])('refused and not echoed (case 134): %s', (_case, body, field, reason) => {
    const result = slack.fields.parse(body);
    expect(result).toMatchObject({ ok: false, field, reason: expect.stringMatching(reason) });
    expect(JSON.stringify(result)).not.toMatch(/1111|conch0test/);
  });

  test('a person is a member ID, not a name (case 43)', () => {
    expect(slack.fields.personFault?.('U012AB3CD')).toBeUndefined();
    for (const id of ['@ben', 'user:U012AB3CD', 'C012AB3CD', 'u012ab3cd', '']) {
      expect(slack.fields.personFault?.(id)).toMatch(/member ID/);
    }
  });
});

describe('connecting', () => {
  test('names the bot, its app and its workspace', async () => {
    expect(await slack.identify(channel)).toEqual({
      ok: true,
      bot: { id: BOT, username: 'conch', team: TEAM, teamName: 'Acme', botId: 'B0CONCH01', app: APP },
    });
  });

  test('a token that Slack does not know is a fault of its field', async () => {
    const other = { ...channel, secrets: { ...channel.secrets, botToken: 'xoxb-somebody-elses' } };
    expect(await slack.identify(other)).toMatchObject({ ok: false, field: 'botToken', reason: /does not know/ });
    standIn.uninstall();
    expect(await slack.identify(channel)).toMatchObject({ ok: false, field: 'botToken', reason: /app removed/ });
  });

  test('when Slack cannot be reached, or asks to wait, it says so', async () => {
    standIn.fail(tooMany(30));
    expect(await slack.identify(channel)).toMatchObject({ ok: false, field: 'botToken', reason: /wait/ });
    const away = { ...channel, apiRoot: 'http://127.0.0.1:65530' };
    expect(await slack.identify(away)).toMatchObject({ ok: false, field: 'apiRoot', reason: /ECONNREFUSED/ });
  });
});

const MADE = { menu: { private: [], group: [] }, now: 0 };

describe('the manifest (SPEC 12.2)', () => {
  const webhookUrl = 'https://conch.example/slack/t1.abc';

  test('before the channel there is no address in it, but every scope', () => {
    const first = slack.manifest?.({ ...MADE, name: 'helper' });
    expect(JSON.stringify(first)).not.toContain('http');
    const later = slack.manifest?.({ ...MADE, name: 'helper', webhookUrl });
    expect(first?.oauth_config).toEqual(later?.oauth_config);
  });

  test('has one command, /conch, within Slack’s limits (case 74), and the webhook three times', () => {
    const name = 'a-name-of-more-than-thirty-five-characters';
    const made = slack.manifest?.({ ...MADE, name, webhookUrl });
    expect(made?.features).toMatchObject({
      slash_commands: [{ command: '/conch', url: webhookUrl, should_escape: false }],
    });
    expect(made?.display_information).toMatchObject({ name: expect.stringMatching(/^.{35}$/) });
    expect(JSON.stringify(made).split(webhookUrl)).toHaveLength(4);
  });

  test('asks for exactly the kinds of event that are read', () => {
    const payloads = new SlackPayloads();
    const isRead = (type: string) => {
      const [kind = '', where] = type.split('.');
      const direct = where === 'im' ? 'D0ALICE01' : GENERAL;
      const message = payloads.message('hi', 'U0ALICE01', direct);
      const event = { ...message, type: kind, tokens: { oauth: [], bot: [BOT] } };
      const user = kind.startsWith('member') ? { user: BOT } : {};
      const [read] = slack.read(encode(payloads.event({ ...event, ...user })), channel, 0);
      return ['message', 'membership', 'uninstalled'].includes(read?.kind ?? '');
    };
    const others = ['reaction_added', 'channel_created', 'team_join', 'app_home_opened', 'user_change'];
    expect([...BOT_EVENTS, ...others].filter(isRead)).toEqual(BOT_EVENTS);
  });
});
