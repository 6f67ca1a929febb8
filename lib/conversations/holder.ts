import type { Draft } from '../domain/events.ts';
import { fitted } from '../domain/fitted.ts';
import {
  HINT_GUARD_MS,
  HINT_MARGIN_MS,
  LEASE_MS,
  RENEW_BELOW_MS,
  SEND_GUARD_MS,
  TAKEOVER_GRACE_MS,
} from '../domain/limits.ts';
import type { PlaceRef } from '../domain/place.ts';
import type { State } from '../domain/state.ts';
import { type Claim, fence, holding } from '../domain/turns.ts';
import type { Slot } from '../ports/capacity.ts';
import { type Appended, append, stateOf } from './append.ts';
import type { WorkerDeps } from './deps.ts';

/** A hint as received: how to keep it hidden, and until when it surely is. */
export interface ReceivedHint {
  receipt: string;
  hiddenUntil: number;
}

/** What came of a holder's append. */
export type Held = { event: Appended } | { event?: undefined; lost: boolean };

/**
 * A worker's hold on a turn or a delivery. Everything that the worker appends goes through here, one after the other,
 * made to fit the store and fenced by (turn, attempt); once the claim is no longer the one in force, `lost` is true and
 * nothing may be appended or sent any more (DESIGN 3, Claim).
 */
export class Holder {
  readonly place: PlaceRef;
  readonly claim: Claim;
  /** What the reply's messages show, by their ids, as far as this worker has edited them. */
  readonly onScreen = new Map<string, string>();
  readonly #deps: WorkerDeps;
  readonly #hint: ReceivedHint;
  readonly #slot: Slot | undefined;
  #state: State;
  #lost = false;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(
    deps: WorkerDeps,
    held: { place: PlaceRef; claim: Claim; state: State; hint: ReceivedHint; slot: Slot | undefined },
  ) {
    this.#deps = deps;
    this.place = held.place;
    this.claim = held.claim;
    this.#hint = held.hint;
    this.#slot = held.slot;
    this.#state = held.state;
  }

  /** What is in force, as far as this worker has seen. */
  get state(): State {
    return this.#state;
  }

  get lost(): boolean {
    return this.#lost;
  }

  /** Whether `/stop` was asked of this turn. */
  get stopAsked(): boolean {
    const { turn } = this.#state;
    return turn?.id === this.claim.turn && turn.stopAsked === true;
  }

  /**
   * Appends what `make` gives for the state in force; undefined from `make` means that there is nothing to append.
   * Without an event in the result, either the claim is lost or `/stop` bars this event.
   */
  append(make: (state: State) => Draft | undefined): Promise<Held> {
    return this.#inTurn(() => this.#append(make));
  }

  async #append(make: (state: State) => Draft | undefined): Promise<Held> {
    const outcome = await append<'lost' | 'barred'>(this.#deps, this.place, this.#state, (state) => {
      if (this.#lost || !holding(state, this.claim)) return { give: 'lost' };
      const draft = make(state);
      if (!draft) return { give: 'barred' };
      const fenced = fence(state, this.claim, fitted(draft));
      return 'draft' in fenced ? fenced : { give: 'lost' in fenced ? 'lost' : 'barred' };
    });
    this.#state = 'event' in outcome ? outcome.event.state : outcome.state;
    if ('event' in outcome) return outcome;
    if (outcome.gave === 'lost') this.#lost = true;
    return { lost: outcome.gave === 'lost' };
  }

  /** One holder's appends never race each other: each sees the state that the one before left. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  get #leaseLeftMs(): number {
    const held = holding(this.#state, this.claim);
    return held ? held.leaseUntil - this.#deps.runtime.now() : 0;
  }

  /** Renews the lease when little of it is left, so that most turns need no renewal. False: the claim is lost. */
  async keep(): Promise<boolean> {
    return this.#leaseLeftMs >= RENEW_BELOW_MS ? !this.#lost : this.#renew();
  }

  /** The last thing before every send: true if it may go out, with enough of the lease left (DESIGN 3, Claim). */
  async maySend(): Promise<boolean> {
    while (!this.#lost && this.#leaseLeftMs < SEND_GUARD_MS) {
      if (!(await this.#renew())) return false;
    }
    return !this.#lost;
  }

  async #renew(): Promise<boolean> {
    const leaseUntil = this.#deps.runtime.now() + LEASE_MS;
    const { event } = await this.append(() => ({ type: 'turn.renewed', data: { ...this.claim, leaseUntil } }));
    if (!event) return false;
    await Promise.all([this.#renewSlot(leaseUntil), this.#holdHint()]);
    return true;
  }

  async #renewSlot(leaseUntil: number): Promise<void> {
    if (this.#slot) await this.#deps.capacity.renew(this.#slot, leaseUntil + TAKEOVER_GRACE_MS);
  }

  async #holdHint(): Promise<void> {
    const now = this.#deps.runtime.now();
    if (now > this.#hint.hiddenUntil - HINT_GUARD_MS) return;
    const forMs = LEASE_MS + HINT_MARGIN_MS;
    await this.#deps.queue.hold(this.#hint.receipt, forMs);
    this.#hint.hiddenUntil = now + forMs;
  }

  /** Looks whether somebody else has appended: `/stop`, a message, or another worker's claim. */
  look(): Promise<void> {
    return this.#inTurn(async () => {
      const { log } = this.#deps;
      const next = await log.at(this.place, this.#state.seq + 1);
      if (!next) return;
      this.#state = await stateOf(log, this.place, await log.newest(this.place));
      if (!holding(this.#state, this.claim)) this.#lost = true;
    });
  }
}
