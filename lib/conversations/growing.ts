import { editPart, openPart, type ReplyTarget } from './replyParts.ts';

/** A longer text grows no further on the screen: to draw all of it again and again would take the process's time. */
const GROWING_LIMIT_CHARS = 20_000;

/**
 * A reply that grows while the provider writes (SPEC 13.3): edited in place, at the app's pace. It is only a view: when
 * an edit fails nothing is lost, since the final text is delivered from the log.
 */
export class GrowingReply {
  readonly #target: ReplyTarget;
  readonly #intervalMs: number;
  #text = '';
  #shown = '';
  #nextAt = 0;
  #work: Promise<void> = Promise.resolve();
  #busy = false;
  #opened = false;
  /** Set when the app will take nothing any more, or the claim is lost. */
  #over = false;
  readonly #end = new AbortController();
  #waits = false;

  constructor(target: ReplyTarget) {
    this.#target = target;
    const { private: privately, group } = target.app.limits.minEditIntervalMs;
    this.#intervalMs = target.to.group ? group : privately;
  }

  /** Opens the reply at once, so that the person sees that somebody is at work; once. */
  open(): void {
    if (this.#opened) return;
    this.#opened = true;
    const { sender, to, app, holder } = this.#target;
    if (holder.state.gone !== undefined) return;
    this.#work = sender.typing(to).catch(() => undefined);
    if (app.limits.canEdit && this.#ids.length === 0) this.#run(() => this.#openOne());
  }

  /** Shows the text so far as soon as the app's pace allows; never waits. */
  show(text: string): void {
    this.#text = text;
    this.open();
    this.#showNewest();
  }

  /** Waits for the call that is under way; nothing is shown afterwards. */
  async end(): Promise<void> {
    this.#end.abort();
    await this.#work;
  }

  get #ended(): boolean {
    return this.#end.signal.aborted;
  }

  #showNewest(): void {
    const { app, runtime } = this.#target;
    const text = this.#text;
    if (this.#busy || this.#ended || this.#over || !app.limits.canEdit) return;
    if (text.trim() === '' || text === this.#shown || text.length > GROWING_LIMIT_CHARS) return;
    const waitMs = this.#nextAt - runtime.now();
    if (waitMs > 0) this.#showIn(waitMs);
    else this.#run(() => this.#edit());
  }

  /** What is newest then may be the last for a while, such as the name of a tool that runs. */
  #showIn(waitMs: number): void {
    if (this.#waits) return;
    this.#waits = true;
    const over = () => {
      this.#waits = false;
      this.#showNewest();
    };
    this.#target.runtime.sleep(waitMs, this.#end.signal).then(over, over);
  }

  get #ids(): string[] {
    return this.#target.holder.state.turn?.parts ?? [];
  }

  #run(work: () => Promise<void>): void {
    this.#busy = true;
    const { logger } = this.#target;
    this.#work = Promise.all([this.#work, work().catch((error) => logger.error('reply.growing', error))]).then(() => {
      this.#busy = false;
      this.#showNewest();
    });
  }

  async #openOne(): Promise<void> {
    const opened = await openPart(this.#target);
    if (opened.kind !== 'shown') this.#over = true;
  }

  async #edit(): Promise<void> {
    const { app, holder, runtime } = this.#target;
    const text = this.#text;
    // What cannot be shown at all is not tried again: only more of it is.
    this.#shown = text;
    const pieces = app.render({ markdown: text });
    if (this.#ids.length < pieces.length && !this.#ended) await this.#openOne();
    const n = Math.min(this.#ids.length, pieces.length) - 1;
    const id = this.#ids[n];
    const piece = pieces[n];
    if (id === undefined || !piece || this.#ended || holder.stopAsked) return;
    if (n > 0) await this.#finishBefore(n, pieces);
    const edited = await editPart(this.#target, id, piece, 1);
    if (edited.kind === 'lost' || edited.kind === 'dead' || edited.kind === 'missing') this.#over = true;
    if (edited.kind === 'later') this.#shown = '';
    const waitMs = edited.kind === 'later' ? edited.retryAfterMs : 0;
    this.#nextAt = runtime.now() + Math.max(this.#intervalMs, waitMs);
  }

  #finished = 0;

  /** The messages before the growing one get their full text once, when the next one begins. */
  async #finishBefore(n: number, pieces: ReturnType<ReplyTarget['app']['render']>): Promise<void> {
    for (; this.#finished < n; this.#finished++) {
      const id = this.#ids[this.#finished];
      const piece = pieces[this.#finished];
      if (id !== undefined && piece) await editPart(this.#target, id, piece, 1);
    }
  }
}
