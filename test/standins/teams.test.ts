import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { APP_ID, BOT, direct, GENERAL, TENANT, TeamsStandIn } from './teams.ts';
import { type Params, refusedActivity } from './teamsRules.ts';
import { shownText } from './teamsText.ts';

const ANA = '29:1ana';

let teams: TeamsStandIn;
let token = '';
beforeEach(async () => {
  teams = await TeamsStandIn.start();
  token = (await login()).access_token ?? '';
});
afterEach(() => teams.close());

async function login(more: Record<string, string> = {}, tenant = TENANT): Promise<Record<string, string>> {
  const right = {
    ...{ grant_type: 'client_credentials', client_id: APP_ID, client_secret: teams.appPassword },
    scope: 'https://api.botframework.com/.default',
  };
  const body = new URLSearchParams({ ...right, ...more });
  const response = await fetch(`${teams.origin}/${tenant}/oauth2/v2.0/token`, { method: 'POST', body });
  return (await response.json()) as Record<string, string>;
}

async function call(
  method: string,
  path: string,
  body: Params,
  as = token,
): Promise<{ status: number; code?: string; id?: string }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${as}` };
  const response = await fetch(`${teams.origin}/teams/v3${path}`, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  const { error, id } = text ? JSON.parse(text) : {};
  return { status: response.status, ...(error?.code && { code: error.code }), ...(id && { id }) };
}

const activities = (conversation: string) => `/conversations/${encodeURIComponent(conversation)}/activities`;
const text = (words: string, more: Params = {}): Params => ({
  type: 'message',
  textFormat: 'markdown',
  text: words,
  ...more,
});
const block = (...inlines: Params[]) => ({ type: 'RichTextBlock', inlines });
const run = (words: string, more: Params = {}) => ({ type: 'TextRun', text: words, ...more });
const button = (more: Params = {}) => ({ type: 'Action.Execute', title: 'Yes', verb: 'choice', data: {}, ...more });
const card = (more: Params = {}): Params => ({
  ...{ type: 'message', summary: 'x' },
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: { type: 'AdaptiveCard', version: '1.5', body: [block(run('hi'))], ...more },
    },
  ],
});

describe('what is refused as Teams refuses it', () => {
  test.each<[string, Params, string | undefined]>([
    ['a text', text('hi **you**'), undefined],
    ['a plain text', text('<at>x</at> # no heading', { textFormat: 'plain' }), undefined],
    ['no text', text(' '), 'Bad Argument text'],
    ['HTML', text('<at>Ben</at>'), 'Bad Argument text with html'],
    ['a heading', text('# Title'), 'Bad Argument text with heading'],
    ['a list, which phones do not show', text('- a'), 'Bad Argument text with list'],
    ['an image, which clients fetch', text('![a](https://x.org/a.png)'), 'Bad Argument text with image'],
    ['a mention', text('hi', { entities: [{ type: 'mention' }] }), 'Bad Argument entities'],
    ['a text and a card in one', { ...card(), text: 'hi' }, 'Bad Argument text and attachments'],
    ['more than 80 KB', text('x'.repeat(40_000)), 'MessageSizeTooBig'],
    ['a card', card({ actions: [button()] }), undefined],
    ['a card of another version', card({ version: '1.4' }), 'Bad Argument card version'],
    ['seven buttons', card({ actions: Array.from({ length: 7 }, () => button()) }), 'Bad Argument card actions'],
    [
      'a button that opens an address',
      card({ actions: [button({ type: 'Action.OpenUrl', url: 'https://x.org' })] }),
      'Bad Argument card action',
    ],
    ['text that opens an address', card({ body: [block(run('hi', { selectAction: {} }))] }), 'Bad Argument card body'],
    ['text that is read as markup', card({ body: [{ type: 'TextBlock', text: '**hi**' }] }), 'Bad Argument card body'],
    ['a card of more than 28 KB', card({ body: [block(run('x'.repeat(14_000)))] }), 'Bad Argument card size'],
    ['a card without words for a notification', { ...card(), summary: '' }, 'Bad Argument summary'],
  ])('%s', (_case, activity, code) => {
    expect(refusedActivity(activity)?.code).toBe(code);
  });

  test('no token, one that is over, a wrong secret, another organisation', async () => {
    expect(await call('POST', activities(GENERAL), text('hi'), '')).toEqual({ status: 401 });
    teams.revokeTokens();
    expect(await call('POST', activities(GENERAL), text('hi'))).toEqual({ status: 401 });
    expect((await login({ client_secret: 'wrong' })).error).toBe('invalid_client');
    expect((await login({ client_id: 'other' })).error).toBe('unauthorized_client');
    expect((await login({ scope: 'https://graph.microsoft.com/.default' })).error).toBe('invalid_scope');
    expect((await login({}, 'botframework.com')).error).toBe('invalid_request');
  });

  test('a chat without the bot, a message that is not there, one by another name', async () => {
    expect(await call('POST', activities('19:other@thread.v2'), text('hi'))).toMatchObject({
      code: 'BotNotInConversationRoster',
    });
    const { id } = await call('POST', activities(GENERAL), text('hi'));
    expect(await call('PUT', `${activities(GENERAL)}/999`, text('hi', { id: '999' }))).toMatchObject({
      status: 404,
      code: 'ActivityNotFoundInConversation',
    });
    expect(await call('PUT', `${activities(GENERAL)}/${id}`, text('hi'))).toMatchObject({ status: 400 });
    expect(await call('PUT', `${activities(GENERAL)}/${id}`, text('ho', { id }))).toEqual({ status: 200, id });
    expect(teams.visible(GENERAL)).toEqual(['ho']);
  });

  test('a private chat with nobody, or in another organisation', async () => {
    const members = [{ id: ANA }];
    expect(await call('POST', '/conversations', { bot: { id: BOT }, members, tenantId: 'other' })).toMatchObject({
      status: 400,
    });
    expect(await call('POST', '/conversations', { bot: { id: BOT }, members: [], tenantId: TENANT })).toMatchObject({
      status: 400,
    });
    const opened = await call('POST', '/conversations', { bot: { id: BOT }, members, tenantId: TENANT });
    expect(opened).toEqual({ status: 201, id: direct(ANA) });
  });
});

test('it fails as it is told, once', async () => {
  teams.fail({ kind: 'error', status: 429, code: 'Throttled', retryAfterS: 3 }, { kind: 'post' });
  expect(await call('POST', activities(GENERAL), text('hi'))).toEqual({ status: 429, code: 'Throttled' });
  expect((await call('POST', activities(GENERAL), text('hi'))).status).toBe(201);
});

test.each([
  ['marks', '**a** *b* ~~c~~ `d`', 'a b c d'],
  ['escapes', '\\*a\\* &lt;b&gt;', '*a* <b>'],
  ['a line’s end', 'a  \nb', 'a\nb'],
  ['code', '```\n# a\n```', '# a'],
  ['what it does not show', '# a', '⟨heading⟩'],
])('people read of a message: %s', (_case, markdown, words) => {
  expect(shownText(markdown)).toBe(words);
});
