import { describe, expect, test } from 'vitest';
import { readHtml } from '../../../lib/channels/teams/html.ts';
import { read } from '../../../lib/channels/teams/read.ts';
import type { Incoming } from '../../../lib/ports/chatApp.ts';
import { BOT, LUNCH, TeamsPayloads } from '../../standins/teams.ts';
import type { Params } from '../../standins/teamsRules.ts';
import { channel, NOW } from './channel.ts';

const ANA = '29:1ana';
const payloads = new TeamsPayloads();

function readOne(activity: Params, of = channel): Incoming | undefined {
  return read(new TextEncoder().encode(JSON.stringify(activity)), of, NOW)[0];
}

const typedOf = (activity: Params) => {
  const one = readOne(activity);
  return one?.kind === 'message' ? one.typed : one?.kind;
};

const quoting = (own: string) =>
  `<blockquote itemtype="http://schema.skype.com/Reply"><strong itemprop="mri">Ben</strong><p>/clear</p></blockquote>${own}`;

describe('only the person’s own new words are typed (SPEC 3.3)', () => {
  test.each([
    ['beside a quotation', '<p>/new</p>', '/new'],
    ['in front of one', '', 'message'],
    ['with a quotation of their own', '<blockquote>so</blockquote>/new', 'so\n/new'],
    ['with signs that HTML spells', '<p>a &lt; b &amp;amp; c&#33;&#x1F389;</p>', 'a < b &amp; c!🎉'],
  ])('%s', (_case, own, typed) => {
    const html = { contentType: 'text/html', content: quoting(own) };
    const activity = payloads.direct(`Ben\n/clear\n${own}`, ANA, { attachments: [html] });
    expect(typedOf(activity)).toBe(typed === 'message' ? 'ignored' : typed);
  });

  test('a name that somebody typed is no mention', () => {
    expect(typedOf(payloads.direct('<at>Conch</at> /clear', ANA))).toBe('@Conch /clear');
  });

  test('a mention that stands for other text than a name is none', () => {
    const entities = [{ type: 'mention', mentioned: { id: BOT, name: 'Conch' }, text: 'e' }];
    expect(typedOf(payloads.direct('/help me', ANA, { entities }))).toBe('/help me');
  });
});

// In a time that grows with the square of its length each of these would take minutes.
test.each([
  ['opened quotations', '<blockquote>'.repeat(16_000)],
  ['brackets', '<'.repeat(190_000)],
  ['spans', '<span '.repeat(30_000)],
  ['attributes', `<span ${'id='.repeat(60_000)}`],
  ['numbers', '&#1'.repeat(60_000)],
])('HTML that is made to take long is read all the same: %s', (_case, html) => {
  expect(readHtml(html)).toEqual({ own: expect.any(String) });
});

describe('whose message it is', () => {
  test('one that names no bot, or no organisation, is for none', () => {
    expect(readOne(payloads.direct('hi', ANA, { recipient: undefined }))).toMatchObject({ reason: 'for another bot' });
    const conversation = { conversationType: 'personal', id: 'a:1ana' };
    const nowhere = payloads.direct('hi', ANA, { conversation, channelData: null });
    expect(readOne(nowhere)).toMatchObject({ kind: 'ignored', reason: expect.stringContaining('organisation') });
  });

  test('an address of the API that is not Microsoft’s is answered only where the channel has its own', () => {
    const activity = payloads.mention('hi', ANA, LUNCH);
    const elsewhere = { ...activity, serviceUrl: 'http://localhost:56150/_connector' };
    expect(readOne(elsewhere)).toMatchObject({ kind: 'ignored' });
    expect(readOne(elsewhere, { ...channel, apiRoot: 'http://localhost:56150/_connector' })?.kind).toBe('message');
  });

  test('a press that has no id is the same when it comes again, and another when another choice is pressed', () => {
    const at = { conversation: { conversationType: 'personal', id: 'a:1ana' }, message: '1' };
    const press = (choice: number) => ({ ...payloads.invoke({ press: `a:x:${choice}` }, ANA, at), id: null });
    const updates = [0, 0, 1].map((choice) => {
      const one = readOne(press(choice));
      return one?.kind === 'press' ? one.update : one;
    });
    expect(updates[0]).toBe(updates[1]);
    expect(updates[0]).not.toBe(updates[2]);
  });
});
