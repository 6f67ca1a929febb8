import { expect, test } from 'vitest';
import { GrowingReply } from '../../lib/conversations/growing.ts';
import type { ReplyTarget } from '../../lib/conversations/replyParts.ts';

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
