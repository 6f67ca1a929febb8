import { expect, test } from 'vitest';
import { readHistory } from '../../lib/conversations/history.ts';
import { initialState } from '../../lib/domain/state.ts';
import type { Log, StoredEvent } from '../../lib/ports/log.ts';
import * as g from '../support/given.ts';

test('SPEC 13.5: past what a worker can hold it reads no further, and keeps none of it', async () => {
  let read = 0;
  const log = {
    async *range() {
      for (const event of g.logOf(Array.from({ length: 9 }, () => g.message('x'.repeat(4_000_000))))) {
        read += 1;
        yield { ...event, state: initialState } as StoredEvent;
      }
    },
  } as unknown as Log;
  const turn = { memory: { id: 0, upTo: 0, messages: 9 }, messages: [9] };
  expect(await readHistory(log, { tenant: 't', place: 'p' }, turn, 9)).toEqual({ tooLong: true });
  expect(read).toBe(4);
});

test('SPEC 8.2: of the parts of a compaction only the newest is read, in its place', async () => {
  const summed = (at: number) =>
    g.draft('context.summed', { ...{ turn: 't', attempt: 1, of: 'x', at, size: 1 }, summary: 'x'.repeat(5_000_000) });
  const log = [g.message(), g.turnStarted([1]), summed(1), summed(2), summed(3), g.turnStarted([1], { attempt: 2 })];
  const port = {
    async *range() {
      for (const event of g.logOf(log)) yield { ...event, state: initialState } as StoredEvent;
    },
  } as unknown as Log;
  const turn = { id: 't', start: 2, memory: { id: 0, upTo: 0, messages: 1 }, messages: [1] };
  const read = await readHistory(port, { tenant: 't', place: 'p' }, turn, 6);
  expect(read).toMatchObject({ events: [1, 2, 5, 6].map((seq) => ({ seq })) });
});
