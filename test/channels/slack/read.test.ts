import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { slack } from '../../../lib/channels/slack/index.ts';
import { escaped, shownText } from '../../../lib/channels/slack/text.ts';
import { type Asker, mayRun } from '../../../lib/commands/gate.ts';
import { commandNamed } from '../../../lib/commands/registry.ts';
import { route } from '../../../lib/conversations/route.ts';
import { ANA, asForm, BOT, GENERAL, SlackPayloads } from '../../standins/slack.ts';
import { channel, encode, NOW } from './channel.ts';

const payloads = new SlackPayloads(() => NOW / 1000);
const LET_IN: Asker = { role: 'let-in', group: false };

function read(payload: Record<string, unknown>) {
  const [one] = slack.read(encode(payload), channel, NOW);
  if (one?.kind !== 'message') throw new Error('No message was read');
  return one;
}

const command = (text: string) => payloads.command(text, ANA, { channel: 'D0ALICE01', responseUrl: 'https://x.org' });

describe('duplicates (SPEC 2.3, case 89)', () => {
  test('a message that comes as a mention and as a message, or with another event id, is one', () => {
    const [mention, message] = payloads.mention('hi', ANA, GENERAL);
    const again = { ...message, event_id: 'EvAnother' };
    const all = [mention, message, again].map(read);
    expect(new Set(all.map(({ key }) => key)).size).toBe(1);
    expect(all.map(({ content, to, typed }) => ({ content, to, typed }))).toEqual(
      all.map(() => ({ content: all[0]?.content, to: all[0]?.to, typed: all[0]?.typed })),
    );
  });
});

describe('what is written behind /me', () => {
  test('is a message, and content: nothing in it is a command (SPEC 3.3)', () => {
    for (const text of ['looks out of the window', '!clear', '/clear']) {
      const message = read(payloads.direct(text, ANA, { subtype: 'me_message' }));
      expect(message).toMatchObject({ content: { text }, addressed: true });
      expect(message.typed).toBeUndefined();
    }
  });

  test('in a channel it is for us where it names us, as any message (SPEC 3.5)', () => {
    const said = (text: string) => read(payloads.inChannel(text, ANA, GENERAL, { subtype: 'me_message' })).addressed;
    expect(said(`waves to <@${BOT}>`)).toBe(true);
    expect(said('waves')).toBe(false);
  });

  test('of a bot it is none (SPEC 3.4)', () => {
    const [one] = slack.read(
      encode(payloads.direct('waves', ANA, { subtype: 'me_message', bot_id: 'B0OTHER01' })),
      channel,
      NOW,
    );
    expect(one).toMatchObject({ kind: 'ignored', reason: 'from a bot' });
  });
});

describe('ways to write a command (SPEC 12.2)', () => {
  test('/conch alone is /help, and what follows it is a command with or without a slash', () => {
    const typed = ['', 'clear', '/clear', '!clear', '  goal a\nb '].map((text) => read(command(text)).typed);
    expect(typed).toEqual(['/help', '/clear', '/clear', '/clear', '/goal a\nb']);
  });

  test('one that is unknown, or no name at all, is answered as a command, with the words as typed', () => {
    for (const text of ['statsu now', '2+2', 'what? is it', '/usr/bin']) {
      const said = route(read(command(text)), LET_IN);
      expect(said).toEqual({ kind: 'notice', notice: 'unknown-command', args: text });
    }
  });

  test('!name is a command only if the name is known', () => {
    const said = (text: string) => route(read(payloads.direct(text)), LET_IN);
    expect(said('!clear')).toMatchObject({ kind: 'command', command: { name: 'clear' } });
    expect(said('!important stuff')).toMatchObject({ kind: 'message', content: { text: '!important stuff' } });
    expect(said('! clear')).toMatchObject({ kind: 'message' });
    const own = { commands: [], skills: [{ name: 'important', description: 'd', text: 't' }] };
    expect(route(read(payloads.direct('!important stuff')), LET_IN, own)).toMatchObject({
      kind: 'message',
      content: { command: { name: 'important' } },
    });
  });

  test('in a channel, an unknown one in a thread is silence, unless it names us', () => {
    const inThread = { thread_ts: '1789999999.000100', parent_user_id: ANA };
    const asker: Asker = { role: 'guest', group: true };
    const said = (text: string) => route(read(payloads.inChannel(text, ANA, GENERAL, inThread)), asker);
    expect(said('!deploy')).toEqual({ kind: 'silence' });
    expect(said('<@U0CONCHBT> !deploy it')).toMatchObject({ kind: 'message' });
    expect(said('!stop')).toMatchObject({ kind: 'command', command: { name: 'stop' } });
    const stop = commandNamed('stop');
    expect(stop && mayRun(stop, asker)).toEqual({ ok: true });
  });
});

describe('what Slack writes into a text', () => {
  test('what a person typed comes back as it was, byte for byte (case 11)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(shownText(escaped(text))).toBe(text);
      }),
    );
  });

  test.each([
    ['<https://x.org>', 'https://x.org'],
    ['<https://x.org/a|x.org/a>', 'x.org/a'],
    ['<https://x.org|our page>', 'our page (https://x.org)'],
    ['<mailto:a@x.org|a@x.org>', 'a@x.org'],
    ['<@U0CONCHBT> hi', '@conch hi'],
    ['<#C1>', '#C1'],
    ['<!date^1790000000^{date}|in May>', 'in May'],
    ['<!channel> <!here|here>', '@channel here'],
    ['a < b', 'a < b'],
  ])('%s is read as %s', (text, shown) => {
    expect(shownText(text, channel.bot)).toBe(shown);
  });
});

test('only a command, which Slack delivers once, gets an apology: it is shown to the person (SPEC 13.5)', () => {
  expect(slack.apology?.(encode(command('clear')))).toEqual({
    response_type: 'ephemeral',
    text: expect.stringContaining('Not sure'),
  });
  const press = new TextEncoder().encode(asForm({ payload: '{"type":"block_actions"}' }).body);
  for (const body of [encode(payloads.direct('hi')), press, new Uint8Array([0xff])]) {
    expect(slack.apology?.(body)).toBeUndefined();
  }
});
