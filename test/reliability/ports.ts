import { ConchError } from '../../lib/domain/errors.ts';
import type { PlaceRef } from '../../lib/domain/place.ts';
import type { Actions } from '../../lib/ports/actions.ts';
import type { Capacity, SweepCursor, UsageCounters } from '../../lib/ports/capacity.ts';
import type { AppendResult, Log, StoredEvent } from '../../lib/ports/log.ts';
import type { HintQueue } from '../../lib/ports/queue.ts';
import type { Tenants } from '../../lib/ports/tenants.ts';
import type { Process } from './process.ts';

/** The stores behind a world: those in memory, or real ones. */
export interface WorldStores {
  log: Log;
  tenants: Tenants;
  actions: Actions;
  capacity: Capacity;
  usage: UsageCounters;
  cursor: SweepCursor;
}

const STORE = { latencyMs: 8, timeoutMs: 3_000 };
const QUEUE = { latencyMs: 15, timeoutMs: 3_000 };

function failing(code: string) {
  return (): never => {
    throw new ConchError(code, 'The store did not answer', { retryable: true });
  };
}

/** A call to a store: whoever cannot reach it gets an error, done or not. */
export function stored<T>(process: Process, name: string, effect: () => Promise<T>, times = STORE): Promise<T> {
  const refused = failing('store-refused');
  const unknown = failing('store-timed-out');
  return process.call({ name, ...times, effect, refused, unknown });
}

/** Every method of a port as calls of a process. What it reads page by page is read at once. */
function wrapped<T extends object>(process: Process, port: T, prefix: string, times = STORE): T {
  return new Proxy(port, {
    get(target, key) {
      const method: unknown = Reflect.get(target, key);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        const name = `${prefix}.${String(key)}`;
        const run = () => method.apply(target, args) as unknown;
        return STREAMS.has(name) ? stream(process, name, run) : stored(process, name, async () => run(), times);
      };
    },
  });
}

const STREAMS: ReadonlySet<string> = new Set(['log.range', 'log.owed', 'log.places', 'tenants.list', 'tenants.people']);

async function* stream(process: Process, name: string, run: () => unknown): AsyncGenerator<unknown> {
  const all = () => Array.fromAsync(run() as AsyncIterable<unknown>);
  yield* await stored(process, name, all);
}

/** The stores as one process reaches them. @param appended is told of every event that was written, when it was. */
export function portsOf(
  process: Process,
  stores: WorldStores & { queue: HintQueue },
  appended: (place: PlaceRef, event: StoredEvent) => void,
): WorldStores & { queue: HintQueue } {
  const append = async (...[place, event, options]: Parameters<Log['append']>): Promise<AppendResult> => {
    const result = await stores.log.append(place, event, options);
    if (result.ok) appended(place, event);
    return result;
  };
  const log = wrapped(process, stores.log, 'log');
  return {
    log: new Proxy(log, {
      get: (target, key) =>
        key === 'append'
          ? (...args: Parameters<Log['append']>) => stored(process, 'log.append', () => append(...args))
          : Reflect.get(target, key),
    }),
    tenants: wrapped(process, stores.tenants, 'tenants'),
    actions: wrapped(process, stores.actions, 'actions'),
    capacity: wrapped(process, stores.capacity, 'capacity'),
    usage: wrapped(process, stores.usage, 'usage'),
    cursor: wrapped(process, stores.cursor, 'cursor'),
    queue: wrapped(process, stores.queue, 'queue', QUEUE),
  };
}
