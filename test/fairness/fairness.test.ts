import { expect, test } from 'vitest';
import { WORKER_BATCH, WORKER_CONCURRENCY } from '../../infra/parameters.ts';
import { type Arrival, Simulation } from './simulation.ts';

/** As the stack deploys the worker where nobody says otherwise. */
const WORKERS = { instances: WORKER_CONCURRENCY, batch: WORKER_BATCH };
const MINUTE_MS = 60_000;
const UNTIL_MS = 20 * MINUTE_MS;
const FLOOD = { messages: 10_000, places: 2_000, from: 2 * MINUTE_MS, lastsMs: 10_000 };
const QUIET = { tenants: 100, messages: 20 };

/** The same numbers each time (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function quietArrivals(): Arrival[] {
  const random = numbers(1);
  return Array.from({ length: QUIET.tenants * QUIET.messages }, (_, n) => ({
    at: Math.floor(random() * UNTIL_MS * 0.95),
    tenant: `quiet${n % QUIET.tenants}`,
    // Each at a place of its own: what a person waits for their own answer is not the flood's.
    place: `place${n}`,
  }));
}

function flood(): Arrival[] {
  return Array.from({ length: FLOOD.messages }, (_, n) => ({
    at: FLOOD.from + Math.floor((n / FLOOD.messages) * FLOOD.lastsMs),
    tenant: 'flood',
    place: `place${n % FLOOD.places}`,
  }));
}

async function quietWaits(arrivals: readonly Arrival[]) {
  const simulation = new Simulation(WORKERS, numbers(2));
  await simulation.run(arrivals, UNTIL_MS);
  const quiet = [...simulation.waits].filter(([tenant]) => tenant !== 'flood').flatMap(([, waits]) => waits);
  const sorted = quiet.sort((a, b) => a - b);
  const part = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
  return {
    answered: sorted.length,
    p50: part(0.5),
    p99: part(0.99),
    flood: simulation.waits.get('flood')?.length ?? 0,
  };
}

test('DESIGN 3: a tenant that sends 10,000 messages at once does not keep 100 quiet tenants waiting', async () => {
  const alone = await quietWaits(quietArrivals());
  const beside = await quietWaits([...quietArrivals(), ...flood()]);
  console.info(JSON.stringify({ alone, beside, p99Ratio: beside.p99 / alone.p99 }));
  expect(alone.answered).toBe(QUIET.tenants * QUIET.messages);
  expect(beside.answered).toBe(alone.answered);
  expect(beside.flood).toBe(FLOOD.messages);
  expect(beside.p99).toBeLessThanOrEqual(1.5 * alone.p99);
});
