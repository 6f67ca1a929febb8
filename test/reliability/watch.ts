import { isDeepStrictEqual } from 'node:util';
import { knownEvent } from '../../lib/domain/events.ts';
import { evolve } from '../../lib/domain/evolve.ts';
import { TAKEOVER_GRACE_MS } from '../../lib/domain/limits.ts';
import type { PlaceRef } from '../../lib/domain/place.ts';
import { initialState, type State } from '../../lib/domain/state.ts';
import { isProviderFailure } from '../../lib/ports/engine.ts';
import type { StoredEvent } from '../../lib/ports/log.ts';
import type { Logger } from '../../lib/ports/runtime.ts';
import type { Shown } from './chat.ts';
import type { SeenRequest } from './engine.ts';
import type { Process } from './process.ts';
import { faultsOfCompaction, faultsOfRequest, faultsOfRun } from './promises.ts';
import type { ToolRun } from './tools.ts';

/** The claim in a worker's event. */
export const claimOf = ({ data }: StoredEvent) => data as { turn?: string; attempt?: number };

/** What is not appended to a turn any more once `/stop` was asked of it. */
const BARRED: ReadonlySet<string> = new Set([
  ...['step', 'tool.started', 'question.asked', 'context.summed', 'context.compacted'],
]);

/** Whoever holds this turn, or its delivery, in this state. */
function holderOf(state: State, turn: string) {
  if (state.turn?.id === turn) return state.turn;
  return state.owed?.turn === turn ? state.owed : undefined;
}

/** Sees everything that is written, shown and asked, the moment it happens, and what of it breaks a promise. */
export class Watch {
  readonly violations: string[] = [];
  /** Allowed, but to be kept rare: how often each. */
  readonly oddities = new Map<string, number>();
  readonly logs = new Map<string, StoredEvent[]>();
  readonly timeline: (Shown & { at: number })[] = [];
  /** Hints that the sweeper sent. */
  swept = 0;
  /** How often each call of a tool has run, by the name of the call. */
  readonly toolRuns = new Map<string, number>();
  readonly #claims = new Set<string>();
  readonly #now: () => number;
  readonly #turnsAtOnce: number | undefined;
  readonly #hasStalled: () => boolean;
  readonly logger: Logger = {
    info: () => undefined,
    warn: () => undefined,
    error: (_what, error) => this.thrown(error),
  };

  constructor(now: () => number, turnsAtOnce: number | undefined, hasStalled: () => boolean) {
    this.#now = now;
    this.#hasStalled = hasStalled;
    this.#turnsAtOnce = turnsAtOnce;
  }

  bad(what: string): void {
    this.violations.push(what);
  }

  count(what: string): void {
    this.oddities.set(what, (this.oddities.get(what) ?? 0) + 1);
  }

  /** The newest event of each place. */
  lastEvents(): StoredEvent[] {
    return [...this.logs.values()].flatMap((events) => events.at(-1) ?? []);
  }

  /** What is in force in each place. */
  states(): State[] {
    return this.lastEvents().map(({ state }) => state);
  }

  /** Errors of ports and providers are expected here; any other is a mistake of the code. */
  thrown(error: unknown): void {
    const isExpected =
      error instanceof Error && ('code' in error || isProviderFailure(error) || error.name === 'AbortError');
    if (!isExpected) this.bad(`an unexpected error: ${error instanceof Error ? error.stack : String(error)}`);
  }

  written(process: Process, place: PlaceRef, stored: StoredEvent): void {
    const event = JSON.parse(JSON.stringify(stored)) as StoredEvent;
    const events = this.logs.get(place.place) ?? [];
    this.logs.set(place.place, events);
    if (event.seq <= events.length) return; // repeated, and known as its writer's own
    const before = events.at(-1)?.state ?? initialState;
    this.#checkFold(before, event);
    if (process.kind === 'worker') this.#checkHolder(process, place.place, before, event);
    events.push(event);
  }

  /** The carried state equals the fold, also after a way through the store. */
  #checkFold(before: State, event: StoredEvent): void {
    const known = knownEvent(event);
    const folded = known ? evolve(before, known) : { ...before, seq: event.seq };
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(folded)), event.state)) {
      this.bad(`the state carried by ${event.type}#${event.seq} is not the fold`);
    }
  }

  #checkHolder(process: Process, place: string, before: State, event: StoredEvent): void {
    const { turn = '', attempt = 0 } = claimOf(event);
    const holder = holderOf(before, turn);
    const isClaim = holder ? attempt > holder.attempt : event.type === 'turn.started';
    if (isClaim) {
      const held = holder ?? before.owed ?? before.turn;
      const until = held?.leaseUntil ? held.leaseUntil + TAKEOVER_GRACE_MS : 0;
      if (until > event.at)
        this.bad(`${event.type}#${event.seq} claims a turn that is held for ${until - event.at} ms more`);
      // Two workers under one attempt could not be told apart.
      if (this.#claims.has(`${turn}/${attempt}`))
        this.bad(`${event.type}#${event.seq} claims attempt ${attempt} again`);
      this.#claims.add(`${turn}/${attempt}`);
      process.claim = { place, turn, attempt };
      return;
    }
    const mine = process.claim?.turn === turn && process.claim.attempt === attempt && process.claim.place === place;
    if (!mine || holder?.attempt !== attempt) {
      this.bad(`${event.type}#${event.seq} of attempt ${attempt} appended by process ${process.id} without its hold`);
    }
    if (before.turn?.stopAsked && BARRED.has(event.type)) this.bad(`${event.type}#${event.seq} appended after /stop`);
    for (const what of faultsOfCompaction(this.logs.get(place) ?? [], event)) this.bad(what);
  }

  /** A tool has taken effect. */
  toolRan(run: ToolRun): void {
    const times = (this.toolRuns.get(run.of) ?? 0) + 1;
    this.toolRuns.set(run.of, times);
    const { claim } = run.process;
    if (!claim) this.bad(`${run.name} ran without a claim`);
    else for (const what of faultsOfRun(this.logs.get(claim.place) ?? [], claim, run, times)) this.bad(what);
  }

  shown(shown: Shown): void {
    this.timeline.push({ ...shown, at: this.#now() });
    const { process, message } = shown;
    if (process.kind !== 'worker' || !message || !process.claim) return;
    const { place, turn, attempt } = process.claim;
    const events = this.logs.get(place) ?? [];
    const holder = holderOf(events.at(-1)?.state ?? initialState, turn);
    if (holder?.attempt === attempt) return;
    const isSame = message.history.at(-2)?.text === shown.text;
    if (holder)
      this.bad(`a ${shown.kind} of attempt ${attempt} goes out while attempt ${holder.attempt} holds the turn`);
    else if (isSame) this.count('the same text shown again after the delivery');
    else this.bad(`a ${shown.kind} "${shown.text.slice(0, 30)}" goes out after the turn was over`);
  }

  asked(request: SeenRequest, all: readonly SeenRequest[]): void {
    const { place, turn } = request.claim;
    const events = this.logs.get(place) ?? [];
    for (const what of faultsOfRequest(events, request)) this.bad(`request ${request.n} of turn ${turn} ${what}`);
    const claimed = events.find(
      (event) => claimOf(event).turn === turn && claimOf(event).attempt === request.claim.attempt,
    );
    if (claimed?.state.turn?.stopAsked) this.bad(`request ${request.n} for a turn that was stopped before its claim`);
    this.#checkCapacity(all);
  }

  /** Turns that are running and held, no matter how many stalled workers still think they hold one. */
  #checkCapacity(all: readonly SeenRequest[]): void {
    const running = new Set(
      all
        .filter(({ open, process, claim }) => {
          const turn = this.logs.get(claim.place)?.at(-1)?.state.turn;
          return (
            open &&
            process.alive &&
            turn?.id === claim.turn &&
            turn.attempt === claim.attempt &&
            turn.leaseUntil > this.#now()
          );
        })
        .map(({ claim }) => claim.turn),
    );
    if (this.#turnsAtOnce === undefined || running.size <= this.#turnsAtOnce) return;
    // A worker that stood still past its slot's lease finds the slot taken, and finishes its turn all the same.
    if (this.#hasStalled()) this.count('more turns at once than allowed, after a stall');
    else this.bad(`${running.size} turns at once, though ${this.#turnsAtOnce} are allowed`);
  }
}
