import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Address } from '../../lib/domain/events.ts';
import type {
  Channel,
  ChatApp,
  Incoming,
  IncomingMessage,
  MenuCommand,
  Outgoing,
  OutgoingFile,
  Piece,
  SendResult,
  WebhookRequest,
} from '../../lib/ports/chatApp.ts';
import { bodiesLike, markdown, seen } from '../channels/arbitraries.ts';

/** What an app does not have, and why. A suite does not skip without a reason. */
interface NotPossible {
  notPossible: string;
}

const isMessage = (one: Incoming): one is IncomingMessage => one.kind === 'message';
const isIgnored = (one: Incoming) => one.kind === 'ignored';
const isCommand = (one: Incoming) => isMessage(one) && one.typed?.startsWith('/') === true;
const isContent = (one: Incoming) => isMessage(one) && one.typed === undefined;

/** What can happen in a chat app, and what has to be read of it. */
const SITUATIONS = {
  'a message in a private chat is for the bot (SPEC 3.5)': (one) => isMessage(one) && one.addressed && !one.to.group,
  'a command in a private chat may run (SPEC 3.1)': isCommand,
  'a message in a group that is not for the bot is not addressed (SPEC 3.5)': (one) =>
    isMessage(one) && !one.addressed && one.to.group === true,
  'a reply to the bot in a group is addressed (SPEC 3.5)': (one) => isMessage(one) && one.addressed,
  'a command that names the bot is addressed, without the name (SPEC 3.2)': (one) =>
    isMessage(one) && isCommand(one) && one.addressed && one.namesUs && !one.typed?.includes('@'),
  'a leading mention is dropped before a command (SPEC 3.2)': (one) =>
    isMessage(one) && isCommand(one) && one.addressed && !one.typed?.includes('@'),
  'a mention in mid-text is addressed (SPEC 3.5)': (one) => isMessage(one) && one.addressed && !one.namesUs,
  'a command for another bot is no message of ours (SPEC 3.2)': isIgnored,
  'a forward is content (SPEC 3.3)': (one) => isContent(one) && isMessage(one) && !!one.content.forwardedFrom,
  "a file's caption is content (SPEC 3.3)": (one) => isContent(one) && isMessage(one) && !!one.content.attachments,
  'of a reply only the new words are typed (SPEC 3.3)': (one) =>
    isMessage(one) && !!one.typed && one.content.quote !== undefined && !one.typed.includes(one.content.quote.text),
  'an edit is ignored (SPEC 3.3)': isIgnored,
  'our own message is ignored (SPEC 3.4)': isIgnored,
  "another bot's message is ignored (SPEC 3.4)": isIgnored,
  'an anonymous admin is ignored (SPEC 3.4)': isIgnored,
  'a channel post is ignored (SPEC 3.4)': isIgnored,
  'a message in a thread goes back there (SPEC 13.7)': (one) => isMessage(one) && one.to.thread !== undefined,
  'a press names its action and choice (SPEC 11.1)': (one) => one.kind === 'press' && one.action !== '',
  'a forged press names no action (SPEC 11.2)': (one) => one.kind === 'press' && one.action === '',
  'the bot was blocked or removed': (one) => one.kind === 'membership' && one.change === 'gone',
  'the bot was let back or added': (one) => one.kind === 'membership' && one.change === 'back',
} satisfies Record<string, (one: Incoming) => boolean>;

/** Leaving a situation out does not compile: each is a fixture's name, or not possible for a reason. */
type Decisions = Record<keyof typeof SITUATIONS, string | NotPossible>;

/** Ways to tamper with a request. Each must be refused. */
type Tampering = 'unsigned' | 'empty signature' | 'wrong secret' | 'body changed' | 'too old' | 'too new';

export interface ChatAppDescriptor {
  app: ChatApp;
  /** Connected, its secrets opened. */
  channel: Channel;
  /** The same without its secrets: nothing may pass. */
  unconfigured: Channel;
  /** When requests arrive, ms; what the fixtures were recorded with. */
  now: number;
  /** A request that the app would send with this body. */
  signed(body: Uint8Array): WebhookRequest;
  /** Bodies that pass when they are signed, the first of them to tamper with; default: any bytes do. */
  bodies?: Record<string, Uint8Array>;
  tampered: Record<Tampering, ((body: Uint8Array) => WebhookRequest) | NotPossible>;
  /** Folder of `{about, body, expected}` files. */
  fixtures: string;
  /** What tells this kind of channel from others of the app. */
  kind?: string;
  /** What is read of a fixture on this kind of channel; default: what is recorded. */
  expected?(recorded: Incoming[]): Incoming[];
  /** The bytes of a fixture's body; default: as JSON. */
  encode?(body: unknown): Uint8Array;
  decisions: Decisions;
  /** Renders under a limit smaller than the app's own, in the app's unit. */
  renderWithin(outgoing: Outgoing, limit: number): Piece[];
  /** A piece's text, which has the app's limit; default: its field `text` or `content`. */
  textOf?(body: Record<string, unknown>): string;
  /** What people read of a piece's text; default: the text. */
  shown?(text: string, body: Record<string, unknown>): string;
  /** Length of a piece's text in the app's unit. */
  lengthOf(text: string): number;
  /** What the app refuses of a piece's body; undefined if it takes it. */
  refusal(body: Record<string, unknown>): string | undefined;
  /** Sends files to something as strict as the app, and gives what stands in the chat then. */
  sendFiles(files: { to: Address; file: OutgoingFile }[]): Promise<{ results: SendResult[]; seen: SeenFile[] }>;
  /** Publishes a menu to something as strict as the app and gives the names that it holds. */
  publish: ((commands: MenuCommand[]) => Promise<{ ok: boolean; names: string[] }>) | NotPossible;
}

/** A file as it stands in a chat; `name` is absent in an app that shows the text itself. */
export interface SeenFile {
  chat: string;
  name?: string;
  text: string;
}

interface Fixture {
  about: string;
  body: unknown;
  expected: Incoming[];
}

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** What was read as a recording holds it: data alone. */
function recorded(incoming: Incoming): object {
  return incoming.kind === 'message' && incoming.toLater ? { ...incoming, toLater: incoming.toLater() } : incoming;
}

function fixturesOf(folder: string): Map<string, Fixture> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'vectors.json');
  return new Map(
    names.map((name) => [name.slice(0, -'.json'.length), JSON.parse(readFileSync(join(folder, name), 'utf8'))]),
  );
}

/** The suite that every chat app passes (DESIGN 7.4). */
export function chatAppContract(descriptor: ChatAppDescriptor): void {
  describe(`the contract of chat apps: ${descriptor.app.name} ${descriptor.kind ?? ''}`.trim(), () => {
    verifying(descriptor);
    reading(descriptor);
    rendering(descriptor);
    styling(descriptor);
    sending(descriptor);
    publishing(descriptor);
  });
}

// Bytes that are no UTF-8: a check of the decoded text would pass another body.
const RAW = Uint8Array.from([0x7b, 0xff, 0xfe, 0x22, 0xc3, 0x28, 0x7d]);

const ANY_BYTES = {
  JSON: bytes({ text: 'Grüße 🎉' }),
  'bytes that are no UTF-8': RAW,
  'no bytes': new Uint8Array(),
};

function verifying(descriptor: ChatAppDescriptor): void {
  const { app, channel, unconfigured, now, signed, tampered, bodies = ANY_BYTES } = descriptor;
  const [some = RAW] = Object.values(bodies);

  test.each(Object.entries(bodies))('a signed request passes: %s', async (_case, body) => {
    expect(await app.verify(signed(body), channel, now)).toEqual({ ok: true });
  });

  for (const [way, tamper] of Object.entries(tampered)) {
    if ('notPossible' in tamper) test.skip(`tampered, ${way}: ${tamper.notPossible}`, () => {});
    else {
      test(`a tampered request is refused: ${way}`, async () => {
        expect(await app.verify(tamper(some), channel, now)).toMatchObject({ ok: false });
        expect(await app.verify(tamper(RAW), channel, now)).toMatchObject({ ok: false });
      });
    }
  }

  test('without a configured secret nothing passes', async () => {
    expect(await app.verify(signed(some), unconfigured, now)).toMatchObject({ ok: false });
    for (const tamper of Object.values(tampered)) {
      if ('notPossible' in tamper) continue;
      expect(await app.verify(tamper(some), unconfigured, now)).toMatchObject({ ok: false });
    }
  });

  test('a refusal tells no secret', async () => {
    for (const tamper of Object.values(tampered)) {
      if ('notPossible' in tamper) continue;
      const said = JSON.stringify(await app.verify(tamper(RAW), channel, now));
      for (const secret of Object.values(channel.secrets)) expect(said).not.toContain(secret);
    }
  });
}

function reading(descriptor: ChatAppDescriptor): void {
  const { app, channel, now, fixtures: folder, decisions, encode = bytes } = descriptor;
  const { expected: adapt = (all: Incoming[]) => all } = descriptor;
  const fixtures = fixturesOf(folder);

  test.each([...fixtures])('%s is read as recorded', (_name, { body, expected }) => {
    expect(app.read(encode(body), channel, now).map(recorded)).toStrictEqual(adapt(expected));
  });

  for (const [situation, isRight] of Object.entries(SITUATIONS)) {
    const decision = decisions[situation as keyof Decisions];
    if (typeof decision !== 'string') test.skip(`${situation}: ${decision.notPossible}`, () => {});
    else {
      test(situation, () => {
        const read = app.read(encode(fixtures.get(decision)?.body), channel, now);
        expect(read.map((one) => (isRight(one) ? 'as it should be' : one))).toEqual(['as it should be']);
      });
    }
  }

  test('what is delivered again has the same key, and two things that are done have two (SPEC 2.3)', () => {
    const keysOf = ({ body }: Fixture, at: number) =>
      app.read(encode(body), channel, at).flatMap((one) => {
        if ('key' in one) return [one.key];
        return 'update' in one ? [`press:${one.update}`] : [];
      });
    const all = [...fixtures.values()].map((fixture) => keysOf(fixture, now));
    expect([...fixtures.values()].map((fixture) => keysOf(fixture, now + 60_000))).toEqual(all);
    expect(new Set(all.flat()).size).toBe(all.flat().length);
  });

  const body = fc.oneof(
    fc.uint8Array(),
    fc.json().map((json) => new TextEncoder().encode(json)),
    bodiesLike([...fixtures.values()].map((fixture) => fixture.body)).map(encode),
  );
  test('no body makes it throw, and each is read as something', () => {
    fc.assert(
      fc.property(body, (some) => {
        expect(app.read(some, channel, now).length).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
  });
}

function textFieldOf(body: Record<string, unknown>): string {
  return String(body.text ?? body.content);
}

function rendering(descriptor: ChatAppDescriptor): void {
  const { app, renderWithin, lengthOf, refusal, shown = (text: string) => text, textOf = textFieldOf } = descriptor;
  const { textLimit } = app.limits;
  const shownOf = (body: Record<string, unknown>) => shown(textOf(body), body);
  const limit = fc.oneof(fc.integer({ min: 16, max: 80 }), fc.constant(textLimit));
  const whole = Number.MAX_SAFE_INTEGER;

  const check = (pieces: Piece[], within: number) => {
    expect(pieces.length).toBeGreaterThan(0);
    for (const { body, plain } of pieces) {
      expect([refusal(body), refusal(plain)]).toEqual([undefined, undefined]);
      expect(Math.max(lengthOf(textOf(body)), lengthOf(textOf(plain)))).toBeLessThanOrEqual(within);
    }
  };

  test('any Markdown renders within the limits, and nothing is lost or doubled (SPEC 13.1, 13.2)', () => {
    fc.assert(
      fc.property(markdown, limit, (text, within) => {
        const pieces = renderWithin({ markdown: text }, within);
        check(pieces, within);
        const once = renderWithin({ markdown: text }, whole);
        for (const form of ['body', 'plain'] as const) {
          const joined = pieces.map((piece) => seen(shownOf(piece[form]))).join('');
          expect(joined).toBe(seen(once.map((piece) => shownOf(piece[form])).join('')));
        }
      }),
      { numRuns: 1_500 },
    );
  });

  test.each([
    ['letters', 'x'.repeat(textLimit * 2 + 1)],
    ['emoji at the limit', `${'x'.repeat(textLimit - 1)}🎉`],
    ['a family at the limit', `${'x'.repeat(textLimit - 3)}👨‍👩‍👧`],
    ['one endless character', `e${'\u0301'.repeat(textLimit * 2)}`],
    ['code', `\`\`\`ts\n${'let x = 1;\n'.repeat(textLimit / 4)}\`\`\``],
    ['nothing', ''],
    ['a blank', ' \n\u200b'],
  ])('a long or empty text renders within the limits: %s (SPEC 13.2)', (_case, text) => {
    check(app.render({ markdown: text }), textLimit);
  });

  test('choices stand under the last piece (SPEC 11.4, 11.5)', () => {
    const choices = Array.from({ length: app.limits.buttonLimit }, (_, i) => ({
      label: `Choice ${i}`,
      value: `a:abc:${i}`,
    }));
    const pieces = renderWithin({ markdown: 'word '.repeat(200), choices }, 400);
    check(pieces, 400);
    const labels = pieces.map(({ body }) => choices.filter(({ label }) => JSON.stringify(body).includes(label)).length);
    expect(labels).toEqual(pieces.map((_, i) => (i === pieces.length - 1 ? choices.length : 0)));
  });
}

const STYLES = [undefined, 'primary', 'danger'] as const;

function styling({ app, refusal }: ChatAppDescriptor): void {
  if (!app.limits.hasButtons) {
    test.skip('a choice’s style: no buttons', () => {});
    return;
  }
  test('the main choice and one that takes away look otherwise than the rest (SPEC 11)', () => {
    const bodies = STYLES.map((style) => {
      const choices = [{ label: 'Go', value: 'a:abc:0', ...(style && { style }) }];
      const [piece] = app.render({ markdown: 'Sure?', choices });
      expect([refusal(piece?.body ?? {}), refusal(piece?.plain ?? {})]).toEqual([undefined, undefined]);
      return JSON.stringify(piece);
    });
    expect(new Set(bodies).size).toBe(STYLES.length);
  });
}

function sending({ app, sendFiles }: ChatAppDescriptor): void {
  const fileOf = (name: string, text: string): OutgoingFile => ({
    ...{ name, mimeType: 'text/markdown', bytes: new TextEncoder().encode(text) },
  });

  test('a file arrives whole where a message would, whatever stands in it', async () => {
    const to = { chat: '111', message: '5' };
    const texts = ['# Grüße 🎉\n\n"quoted" --boundary\r\n', 'x'.repeat(200_001)];
    const { results, seen: found } = await sendFiles(texts.map((text, n) => ({ to, file: fileOf(`c-${n}.md`, text) })));
    expect(results.map(({ kind }) => kind)).toEqual(['sent', 'sent']);
    expect(new Set(found.map(({ chat }) => chat))).toEqual(new Set(['111']));
    expect(
      found
        .map(({ text }) => text)
        .join('')
        .replaceAll(/\s/gu, ''),
    ).toBe(texts.join('').replaceAll(/\s/gu, ''));
    expect(found.every(({ name }) => name === undefined || /^c-\d\.md$/u.test(name))).toBe(true);
  });

  test('a person’s private chat is told by their id, or not at all (SPEC 9.3)', () => {
    const chat = app.privateChat('111');
    expect(chat === undefined || (chat.chat !== '' && chat.group === undefined)).toBe(true);
  });
}

function publishing({ app, publish }: ChatAppDescriptor): void {
  if ('notPossible' in publish) {
    test.skip(`a menu of 200 commands: ${publish.notPossible}`, () => {});
    return;
  }
  test('200 odd commands make a menu within the limits, the most wanted first (SPEC 12.1)', async () => {
    const odd = ['deploy-prod', 'deploy_prod', 'c++', 'Баланс', 'UPPER', 'a'.repeat(33), 'with space', ''];
    const names = ['new', 'clear', ...odd, ...Array.from({ length: 190 }, (_, i) => `command-${i}`)];
    const commands = names.map((name, i) => ({ name, description: ['', 'Does it.', 'x\n'.repeat(300)][i % 3] ?? '' }));
    const published = await publish(commands);
    expect(published.ok).toBe(true);
    expect(published.names.slice(0, 2)).toEqual(['new', 'clear']);
    expect(app.limits.commandPrefix).not.toBe('');
  });
}
