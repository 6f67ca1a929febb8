import { describe, expect, test } from 'vitest';
import { GrowingReply } from '../../lib/conversations/growing.ts';
import type { ReplyTarget } from '../../lib/conversations/replyParts.ts';
import type { Piece, SendResult } from '../../lib/ports/chatApp.ts';
import { VirtualTime } from '../support/virtualTime.ts';

test('SPEC 13.3: a text past 20,000 characters grows no further: it is drawn once, at its end', async () => {
  const drawn: number[] = [];
  const target = {
    app: {
      limits: { canEdit: true, minEditIntervalMs: { private: 0, group: 0 } },
      render: ({ markdown }: { markdown: string }) => {
        drawn.push(markdown.length);
        return [];
      },
    },
    ...{ to: { chat: 'c' }, holder: { state: { turn: { parts: ['m'] } } }, runtime: { now: () => 1 } },
    sender: { typing: async () => undefined },
  } as unknown as ReplyTarget;
  const growing = new GrowingReply(target);
  growing.show('a'.repeat(20_000));
  growing.show('a'.repeat(20_001));
  await growing.end();
  const another = new GrowingReply(target);
  another.show('a'.repeat(20_001));
  await another.end();
  expect(drawn).toEqual([20_000]);
});

test('a text that cannot be shown now is not tried again at once: the process goes on', async () => {
  let renders = 0;
  const target = {
    app: {
      limits: { canEdit: true, minEditIntervalMs: { private: 0, group: 0 } },
      render: () => {
        renders++;
        return [{}];
      },
    },
    holder: { state: { turn: { parts: ['m'] } }, stopAsked: true },
    ...{ to: { chat: 'c' }, runtime: { now: () => 1 }, sender: { typing: async () => undefined } },
  } as unknown as ReplyTarget;
  const growing = new GrowingReply(target);
  growing.show('some words');
  await new Promise((resolve) => setTimeout(resolve, 5));
  await growing.end();
  expect(renders).toBe(1);
});

describe('SPEC 13.3: what is newest is always shown, when the app’s pace allows at the latest', () => {
  /** A reply in an app that takes an edit a second, and what stands there. */
  function growingReply(answers: SendResult[] = []) {
    const time = new VirtualTime('g');
    const shown: string[] = [];
    const edit = async (_to: unknown, id: string, { body }: Piece): Promise<SendResult> => {
      const answer = answers.shift() ?? { kind: 'sent', id };
      if (answer.kind === 'sent') shown.push(String(body));
      return answer;
    };
    const holder = { state: { turn: { parts: ['m'] } }, maySend: async () => true, onScreen: new Map() };
    const target = {
      app: {
        limits: { canEdit: true, minEditIntervalMs: { private: 1_000, group: 1_000 } },
        render: ({ markdown }: { markdown: string }) => [{ body: markdown }],
      },
      ...{ to: { chat: 'c' }, holder, runtime: time, logger: { warn: () => undefined } },
      sender: { typing: async () => undefined, edit },
    } as unknown as ReplyTarget;
    return { growing: new GrowingReply(target), time, shown };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  test('what came just behind an edit is shown without more to come', async () => {
    const { growing, time, shown } = growingReply();
    growing.show('I look it up.');
    await settled();
    growing.show('I look it up.\n\n*Using desk…*');
    growing.show('I look it up.\n\n*Using desk: find…*');
    await settled();
    expect(shown).toEqual(['I look it up.']);
    time.advance(999);
    await settled();
    expect(shown).toHaveLength(1);
    time.advance(1);
    await settled();
    expect(shown).toEqual(['I look it up.', 'I look it up.\n\n*Using desk: find…*']);
    expect(time.waits).toBe(0);
    await growing.end();
  });

  test('nothing is shown, and nothing waits, behind the end', async () => {
    const { growing, time, shown } = growingReply();
    growing.show('one');
    await settled();
    growing.show('one two');
    expect(time.waits).toBe(1);
    await growing.end();
    expect(time.waits).toBe(0);
    time.advance(10_000);
    await settled();
    expect(shown).toEqual(['one']);
  });

  test('what the app did not take for now is shown when it takes requests again', async () => {
    const { growing, time, shown } = growingReply([{ kind: 'refused', retryAfterMs: 7_000, reason: '429' }]);
    growing.show('*Summing up…*');
    await settled();
    time.advance(6_999);
    await settled();
    expect(shown).toEqual([]);
    time.advance(1);
    await settled();
    expect(shown).toEqual(['*Summing up…*']);
    await growing.end();
  });
});
