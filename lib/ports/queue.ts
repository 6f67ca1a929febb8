/** "Look at this place" (DESIGN 3). */
export interface Hint {
  tenant: string;
  place: string;
  /** A wake-up for a place on the waiting list: never sent again by who receives it, the place's own hint is still there. */
  wakeUp?: true;
}

export interface HintQueue {
  /** @param delayMs 0 to 900,000; rounded up to whole seconds. */
  send(hint: Hint, delayMs?: number): Promise<void>;
  /** Keeps a received hint invisible for this long from now. @param receipt what came with the hint. */
  hold(receipt: string, forMs: number): Promise<void>;
  /** Deletes a received hint: nothing more will come of it. One that is gone already is no error. */
  done(receipt: string): Promise<void>;
}
