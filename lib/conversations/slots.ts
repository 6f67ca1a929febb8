import { LEASE_MS, TAKEOVER_GRACE_MS, TURNS_AT_ONCE } from '../domain/limits.ts';
import type { PlaceRef } from '../domain/place.ts';
import type { Slot } from '../ports/capacity.ts';
import type { TenantRecord } from '../ports/tenants.ts';
import type { WorkerDeps } from './deps.ts';

/** The slot that one visit to a place has of its tenant's, and the place's wait for one (DESIGN 3, Waits). */
export class VisitSlot {
  readonly #deps: Pick<WorkerDeps, 'capacity' | 'queue' | 'runtime' | 'logger'>;
  readonly #place: PlaceRef;
  readonly #wokenUp: boolean;
  readonly #id: string;
  #slot: Slot | undefined;
  /** No slot was free, so there is none that another place could be woken for. */
  #noneFree = false;

  constructor(deps: WorkerDeps, place: PlaceRef, wokenUp: boolean) {
    this.#deps = deps;
    this.#place = place;
    this.#wokenUp = wokenUp;
    this.#id = deps.runtime.newId();
  }

  get slot(): Slot | undefined {
    return this.#slot;
  }

  /**
   * Takes a slot, or keeps the one that this visit has. Without one the place goes on the tenant's waiting list, and a slot
   * is tried for once more, since one may have become free in between without anybody to wake.
   * @param hasWaited the place may stand on the list: then it is taken off.
   */
  async takeOrWait(tenant: TenantRecord, hasWaited: boolean): Promise<boolean> {
    const { capacity, runtime } = this.#deps;
    const hadOne = this.#slot !== undefined;
    if (await this.#take(tenant)) {
      if (hasWaited && !hadOne) await capacity.unwait(this.#place.tenant, this.#place.place);
      return true;
    }
    await capacity.wait(this.#place.tenant, this.#place.place, runtime.now());
    this.#noneFree = !(await this.#take(tenant));
    if (!this.#noneFree) await capacity.unwait(this.#place.tenant, this.#place.place);
    return !this.#noneFree;
  }

  /** For as long as the lease that begins now. */
  async #take(tenant: TenantRecord): Promise<boolean> {
    const { capacity, runtime } = this.#deps;
    const now = runtime.now();
    const leaseUntil = now + LEASE_MS + TAKEOVER_GRACE_MS;
    if (this.#slot && (await capacity.renew(this.#slot, leaseUntil))) return true;
    // With none allowed, a turn is begun only to be ended with the reason.
    const limit = Math.max(1, tenant.settings.turnsAtOnce ?? TURNS_AT_ONCE);
    this.#slot = await capacity.take(tenant.tenant, limit, this.#id, now, leaseUntil);
    return this.#slot !== undefined;
  }

  /**
   * Frees the slot, if there is one, and wakes the place that has waited longest. A wake-up that needed no slot is passed
   * on in the same way: it was sent for one that is free. Failures are left to the leases.
   */
  async free(): Promise<void> {
    const slot = this.#slot;
    this.#slot = undefined;
    if (!slot && (!this.#wokenUp || this.#noneFree)) return;
    try {
      if (slot) await this.#deps.capacity.free(slot);
      await this.#wakeNext();
    } catch (error) {
      this.#deps.logger.error('worker.slot-not-freed', error);
    }
  }

  async #wakeNext(): Promise<void> {
    const { capacity, queue } = this.#deps;
    const { tenant } = this.#place;
    let place = await capacity.nextWaiting(tenant);
    // Its own wait is over.
    if (place === this.#place.place) place = await capacity.nextWaiting(tenant);
    if (place !== undefined) await queue.send({ tenant, place, wakeUp: true });
  }
}
