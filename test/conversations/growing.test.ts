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
