import { expect, test } from 'vitest';
import type { Hint, HintQueue } from '../../lib/ports/queue.ts';

/** A queue, and the other end of it. */
export interface QueueUnderTest {
  queue: HintQueue;
  /** The next hint, waiting for it at most this long; it stays invisible for 2 s. */
  receive(waitMs: number): Promise<{ hint: Hint | undefined; receipt: string } | undefined>;
  delete(receipt: string): Promise<void>;
}

/** What every `HintQueue` does. @param make gives an empty queue. */
export function queueContract(make: () => Promise<QueueUnderTest>): void {
  test('a hint arrives as it was sent (DESIGN 3)', async () => {
    const { queue, receive, delete: remove } = await make();
    const hints: Hint[] = [
      { tenant: 'tenant', place: 'channel~chat' },
      { tenant: 'ü:👋', place: '\ud800 ~ 名前', wakeUp: true },
      { tenant: 'x'.repeat(300), place: 'y' },
    ];
    for (const hint of hints) {
      await queue.send(hint);
      const received = await receive(2_000);
      expect(received?.hint).toEqual(hint);
      await remove(received?.receipt ?? '');
    }
    expect(await receive(0)).toBeUndefined();
  });

  test('a delayed hint comes after its delay, not before (DESIGN 3, Waits)', async () => {
    const { queue, receive } = await make();
    const sentAt = Date.now();
    await queue.send({ tenant: 't', place: 'p' }, 500);
    expect(await receive(0)).toBeUndefined();
    expect((await receive(5_000))?.hint).toEqual({ tenant: 't', place: 'p' });
    expect(Date.now() - sentAt).toBeGreaterThanOrEqual(500);
  });

  test('a held hint stays invisible longer, or less long, than it would have (DESIGN 3, Hints)', async () => {
    const { queue, receive } = await make();
    await queue.send({ tenant: 't', place: 'long' });
    const long = await receive(2_000);
    await queue.hold(long?.receipt ?? '', 60_000);
    await queue.send({ tenant: 't', place: 'short' });
    const short = await receive(2_000);
    expect(short?.hint?.place).toBe('short');
    const heldAt = Date.now();
    await queue.hold(short?.receipt ?? '', 0);
    expect((await receive(1_900))?.hint?.place).toBe('short');
    expect(Date.now() - heldAt).toBeLessThan(1_900);
    expect(await receive(2_500)).toMatchObject({ hint: { place: 'short' } });
  });

  test('a hint that is done with never comes again, and being done with it twice is no error (DESIGN 3, Hints)', async () => {
    const { queue, receive } = await make();
    await queue.send({ tenant: 't', place: 'p' });
    const receipt = (await receive(2_000))?.receipt ?? '';
    await queue.done(receipt);
    await queue.done(receipt);
    expect(await receive(2_500)).toBeUndefined();
  });
}
