import { limitSentence } from '../commands/limitWords.ts';
import { fitted } from '../domain/fitted.ts';
import {
  HINT_GUARD_MS,
  HINT_MARGIN_MS,
  LEASE_MS,
  MINUTE_MS,
  TAKEOVER_GRACE_MS,
  TIME_TO_WORK_MS,
} from '../domain/limits.ts';
import { pending } from '../domain/pending.ts';
import type { PlaceRef } from '../domain/place.ts';
import type { State } from '../domain/state.ts';
import { type ClaimContext, decideClaim, decideEnd, isToBeClosed } from '../domain/turns.ts';
import type { Hint } from '../ports/queue.ts';
import type { TenantRecord } from '../ports/tenants.ts';
import { type Appended, append, stateOf } from './append.ts';
import { optionsInForce } from './chatFacts.ts';
import { type Delivered, deliverReply } from './deliverReply.ts';
import type { WorkerDeps } from './deps.ts';
import { type History, readHistory, readSaid } from './history.ts';
import { Holder, type ReceivedHint } from './holder.ts';
import { questionChoicesOf } from './questionChoices.ts';
import { addressOf, channelOf, runTurn } from './runTurn.ts';
import { VisitSlot } from './slots.ts';
import { tenantLimit, useToday } from './tenantLimits.ts';
import { countUse } from './usage.ts';
import { showWaiting } from './waitingSign.ts';

/** A hint as the queue gave it, and until when this worker may run. */
export interface Received {
  hint: Hint;
  receipt: string;
  /** When the worker's process is ended, ms. */
  deadline: number;
  /** Looked at together with others, whose looks may take longer. */
  shared?: boolean;
}

/** A delayed hint lies between a held turn's end and this much later, so that workers do not come all at once. */
const HINT_JITTER_MS = 5_000;
/** The safety net of a place on the waiting list; it is woken long before. */
const SLOT_WAIT_MS = 2 * MINUTE_MS;
const SLOT_WAIT_JITTER_MS = 30_000;
/** A message that is younger is taken for one that no worker has looked at. */
const JUST_NOW_MS = 10_000;

/** What to do after one piece of work: look again, or leave, with a hint for later where `delayMs` is given. */
type Next = { kind: 'again' } | { kind: 'leave'; delayMs?: number };

/**
 * Does what a place owes, as one hint asks (DESIGN 3). Returns when the hint can be deleted: nothing is owed, or another
 * hint will come; throws when the hint has to come again.
 */
export class Worker {
  readonly #deps: WorkerDeps;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
  }

  async look(received: Received): Promise<void> {
    const visit = new Visit(this.#deps, received);
    try {
      await visit.run();
    } finally {
      await visit.slot.free();
    }
    await this.#done(received);
  }

  /**
   * Whoever gave the hint deletes it only when the slowest look of its batch ends. By then it may have come again and
   * left another hint for later, and each of those another: so a shared one is deleted at once.
   */
  async #done({ receipt, shared }: Received): Promise<void> {
    if (!shared) return;
    const { queue, logger } = this.#deps;
    await queue.done(receipt).catch((error) => logger.error('worker.hint-not-deleted', error));
  }
}

/** Whether the place may stand on the waiting list: a message that was sent just now is seen for the first time. */
function mayHaveWaited({ turn, waiting, lastMessageAt }: State, now: number): boolean {
  return turn !== undefined || waiting.length > 1 || now - lastMessageAt > JUST_NOW_MS;
}

/**
 * When a hint that is left at the process's end shows: a receive that the process has given up may still take what is
 * visible earlier, for as long as it would have waited at the queue.
 */
const AFTER_END_MS = 12_000;

class Visit {
  readonly #deps: WorkerDeps;
  readonly #received: Received;
  readonly #place: PlaceRef;
  readonly #hint: ReceivedHint;
  readonly slot: VisitSlot;

  constructor(deps: WorkerDeps, received: Received) {
    this.#deps = deps;
    this.#received = received;
    this.#place = { tenant: received.hint.tenant, place: received.hint.place };
    // Counted from before the hold is asked for; until then nothing is claimed.
    this.#hint = { receipt: received.receipt, hiddenUntil: 0 };
    this.slot = new VisitSlot(deps, this.#place, received.hint.wakeUp === true);
  }

  async run(): Promise<void> {
    const { log } = this.#deps;
    const [newest, tenant] = await Promise.all([log.newest(this.#place), this.#tenant(), this.#hold()]);
    let state = await stateOf(log, this.#place, newest);
    for (;;) {
      const next = await this.#one(state, tenant);
      if (next.kind === 'leave') {
        if (next.delayMs !== undefined) await this.#sendAgain(next.delayMs);
        return;
      }
      state = await stateOf(log, this.#place, await log.newest(this.#place));
    }
  }

  async #tenant(): Promise<TenantRecord | undefined> {
    const { tenants, directory } = this.#deps;
    const { tenant } = this.#place;
    return directory.fresh(tenant, await tenants.version(tenant));
  }

  /** Keeps the hint hidden for as long as a lease may last, and a margin. */
  async #hold(): Promise<void> {
    const { runtime, queue } = this.#deps;
    const now = runtime.now();
    await queue.hold(this.#received.receipt, LEASE_MS + HINT_MARGIN_MS);
    this.#hint.hiddenUntil = now + LEASE_MS + HINT_MARGIN_MS;
  }

  async #sendAgain(delayMs: number): Promise<void> {
    const { tenant, place } = this.#place;
    await this.#deps.queue.send({ tenant, place }, Math.min(delayMs, 15 * MINUTE_MS));
  }

  /** Does one thing that the place owes, if this worker may. */
  async #one(state: State, tenant: TenantRecord | undefined): Promise<Next> {
    const now = this.#deps.runtime.now();
    const owed = pending(state, now);
    if (owed.kind === 'none') return { kind: 'leave' };
    if (owed.kind === 'held') return this.#leaveHeld(owed.until - now);
    if (this.#deps.runtime.ending?.aborted) return this.#leave(AFTER_END_MS);
    if (now > this.#hint.hiddenUntil - HINT_GUARD_MS || this.#received.deadline - now < TIME_TO_WORK_MS) {
      return this.#leave(0);
    }
    if (!tenant) return this.#leaveDeleted();
    const hasWaited = mayHaveWaited(state, now);
    if (owed.kind !== 'deliver' && !(await this.slot.takeOrWait(tenant, hasWaited))) {
      if (!hasWaited) await showWaiting(this.#deps, this.#place, state, tenant);
      return this.#leave(SLOT_WAIT_MS + this.#deps.runtime.random() * SLOT_WAIT_JITTER_MS);
    }
    const closing = owed.kind === 'takeover' && state.turn && isToBeClosed(state.turn) ? state.turn : undefined;
    const said = closing && (await readSaid(this.#deps.log, this.#place, closing, state.seq));
    const ahead = owed.kind === 'deliver' || closing ? undefined : this.#readAhead(state);
    const event = await this.#claim(state, tenant, said);
    if (!event) return { kind: 'again' };
    return this.#work(event, tenant, event.seq === state.seq + 1 ? ahead : undefined);
  }

  /** What the turn to be claimed will read: whole if no other event comes before the claim. */
  #readAhead({ turn, memory, waiting, compactAsked, seq }: State): Promise<History> {
    const answers = compactAsked === undefined ? {} : { answers: compactAsked };
    const ahead = readHistory(this.#deps.log, this.#place, turn ?? { memory, messages: waiting, ...answers }, seq);
    ahead.catch(() => undefined); // thrown where it is awaited, if it is
    return ahead;
  }

  /** Leaves, with a hint for later. A wake-up is never sent again: the place's own hint is still there. */
  #leave(delayMs: number): Next {
    return this.#received.hint.wakeUp ? { kind: 'leave' } : { kind: 'leave', delayMs };
  }

  /** Held by another worker: the place is looked at again when that one's lease ends. */
  #leaveHeld(leftMs: number): Next {
    return this.#leave(Math.max(1_000, leftMs) + this.#deps.runtime.random() * HINT_JITTER_MS);
  }

  #leaveDeleted(): Next {
    this.#deps.logger.warn('worker.tenant-deleted');
    return { kind: 'leave' };
  }

  async #claim(state: State, tenant: TenantRecord, said: ClaimContext['said']): Promise<Appended | undefined> {
    const { runtime } = this.#deps;
    const turnId = runtime.newId();
    const outcome = await append<'not-mine'>(this.#deps, this.#place, state, (current) => {
      const draft = decideClaim(current, {
        now: runtime.now(),
        turnId,
        options: optionsInForce(tenant, current.options),
        hintUntil: this.#hint.hiddenUntil,
        ...(said ? { said } : {}),
      });
      return draft ? { draft: fitted(draft) } : { give: 'not-mine' };
    });
    return 'event' in outcome ? outcome.event : undefined;
  }

  async #work(event: Appended, tenant: TenantRecord, ahead?: Promise<History>): Promise<Next> {
    const { turn: id, attempt } = event.data as { turn: string; attempt: number };
    const holder = new Holder(this.#deps, {
      place: this.#place,
      claim: { turn: id, attempt },
      state: event.state,
      hint: this.#hint,
      slot: this.slot.slot,
    });
    const at = await channelOf(this.#deps, tenant, this.#place.place);
    if (event.type === 'turn.started' && event.state.turn && at) {
      if (attempt === 1 && (await this.#endAtLimit(holder, tenant))) return this.#deliver(holder, at);
      if (attempt === 1) countUse(this.#deps, this.#place.tenant, { turns: 1 });
      const run = await runTurn(
        this.#deps,
        holder,
        { tenant, turn: event.state.turn, claim: event, at, deadline: this.#received.deadline },
        ahead,
      );
      if (run.kind === 'wait') return { kind: 'leave', delayMs: run.waitMs };
      if (run.kind === 'lost' || run.kind === 'yielded') return { kind: 'again' };
    } else if (event.type === 'turn.started') {
      await this.#endUnanswered(holder);
    }
    return this.#deliver(holder, at);
  }

  /**
   * Ends a turn that a limit of the tenant leaves no room for (SPEC 9.4): the webhook looks before it takes a message, but
   * others may have used the rest since. Nothing goes to a provider.
   */
  async #endAtLimit(holder: Holder, { tenant, settings }: TenantRecord): Promise<boolean> {
    const now = this.#deps.runtime.now();
    const reached = tenantLimit(settings, await useToday(this.#deps, tenant, settings), now);
    if (!reached) return false;
    const notice = limitSentence(reached.limit, reached.allowed, reached.opensAt, now);
    await this.#endUnanswered(holder, notice);
    return true;
  }

  async #deliver(holder: Holder, at: Awaited<ReturnType<typeof channelOf>>): Promise<Next> {
    const { log, runtime, logger } = this.#deps;
    const { owed } = holder.state;
    if (!owed) return { kind: 'again' };
    const [event, answered] = await Promise.all([
      log.at(this.#place, owed.event, { strong: true }),
      log.at(this.#place, owed.answers, { strong: true }),
    ]);
    const to = addressOf(answered);
    if (!at || !event || !to) {
      const data = { ...holder.claim, undeliverable: 'the channel is gone' };
      await holder.append(() => ({ type: 'reply.delivered', data }));
      return { kind: 'again' };
    }
    const target = { app: at.app, sender: at.app.sender(at.channel), to, holder, runtime, logger };
    const choices = await questionChoicesOf(
      this.#deps,
      { place: this.#place, at, state: holder.state },
      event,
      answered,
    );
    return this.#afterDelivery(holder, await deliverReply(target, owed, event, choices));
  }

  /** A delivery that has to wait: the hint comes again when the lease is over and the app takes requests again. */
  #afterDelivery(holder: Holder, delivered: Delivered): Next {
    if (delivered.kind !== 'later') return { kind: 'again' };
    const leaseUntil = holder.state.owed?.leaseUntil ?? 0;
    const leftMs = leaseUntil + TAKEOVER_GRACE_MS - this.#deps.runtime.now();
    return { kind: 'leave', delayMs: Math.max(delivered.retryAfterMs, leftMs) + 1_000 };
  }

  /** Ends a turn before anything was asked. @param notice for the person; absent where nobody can be told. */
  async #endUnanswered(holder: Holder, notice?: string): Promise<void> {
    const end = { outcome: 'failed' as const, text: '', ...(notice === undefined ? {} : { notice }) };
    await holder.append((state) => decideEnd(state, holder.claim, end, this.#deps.runtime.now()));
  }
}
