import { expect, test } from 'vitest';
import { deliverFile } from '../../lib/conversations/show.ts';
import type { Sender, SendOptions } from '../../lib/ports/chatApp.ts';
import { synthesise } from '../infra/template.ts';

test('SPEC 4.2: a file is sent once, in a time that fits into a webhook’s life', async () => {
  const tries: SendOptions[] = [];
  const sender = {
    file: async (_to: unknown, _file: unknown, options: SendOptions) => {
      tries.push(options);
      return { kind: 'refused', retryAfterMs: 100, reason: 'busy' };
    },
  } as unknown as Sender;
  const logger = { info: () => {}, warn: () => {}, error: () => {} };
  const runtime = { now: () => 0, newId: () => 'i', random: () => 0, sleep: async () => {} };
  const file = { name: 'a.md', mimeType: 'text/markdown', bytes: new Uint8Array(1) };
  const options = { key: 'k', timeoutMs: 1_000 };
  const sending = deliverFile({ runtime, logger }, sender, { chat: 'c' }, file, [], options);
  await expect(sending).rejects.toMatchObject({ code: 'reply-refused' });
  expect(tries).toHaveLength(1);
  const { of, remove } = synthesise();
  const lifeMs = of('Lambda::Function', 'telegram').Properties.Timeout * 1_000;
  remove();
  expect(tries[0]?.timeoutMs).toBeLessThanOrEqual(lifeMs - 10_000);
});
