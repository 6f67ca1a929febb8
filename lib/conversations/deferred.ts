import type { Base } from '../domain/decide.ts';
import type { Address, Draft, UnknownEvent } from '../domain/events.ts';
import type { PlaceRef } from '../domain/place.ts';
import type { State } from '../domain/state.ts';
import type { ChatApp, IncomingMessage, Sender } from '../ports/chatApp.ts';
import type { Log } from '../ports/log.ts';

const DROPPED = '*Dropped: it was not answered.*';
const ANSWERED_BELOW = '*Answered together with the next message.*';

/**
 * In an app whose HTTP answer people see: a command that changes nothing is answered there, and its event is all that stays.
 * To what else is done something may be said later. Of a message nothing is shown yet: the HTTP answer defers it, and the
 * turn's reply goes where that stands.
 */
export function addressed(draft: Draft, message: IncomingMessage): Draft {
  if (draft.type === 'command.ran') return draft;
  const to = draft.type === 'message' ? { ...laterTo(message), deferred: true } : laterTo(message);
  return { ...draft, data: { ...draft.data, to } } as Draft;
}

/** Where something goes that is said once the HTTP answer is out. */
export function laterTo({ to, toLater }: IncomingMessage): Address {
  return toLater?.() ?? to;
}

/** Says at each deferred message that waited before this event, and waits no more, that no reply comes. */
export async function releaseDropped(
  at: { app: ChatApp; sender: Sender; log: Log; place: PlaceRef },
  before: readonly number[],
  after: State,
): Promise<void> {
  if (before.length === 0) return;
  const dropped = before.filter((seq) => !after.waiting.includes(seq) && !after.turn?.messages.includes(seq));
  const events = await Promise.all(dropped.map((seq) => at.log.at(at.place, seq)));
  await release(at, events, DROPPED);
}

/** Says so at each deferred message of a turn but the one that its reply goes to. */
export async function releaseOthers(
  at: { app: ChatApp; sender: Sender },
  messages: readonly UnknownEvent[],
): Promise<void> {
  await release(at, messages, ANSWERED_BELOW);
}

async function release(
  { app, sender }: { app: ChatApp; sender: Sender },
  events: readonly (UnknownEvent | undefined)[],
  markdown: string,
): Promise<void> {
  const addresses = events.flatMap((event): Address[] => {
    const { to } = (event?.data ?? {}) as Partial<Base>;
    return to?.deferred ? [to] : [];
  });
  if (addresses.length === 0) return;
  const [piece] = app.render({ markdown });
  if (piece) await Promise.all(addresses.map((to) => sender.release?.(to, piece)));
}
