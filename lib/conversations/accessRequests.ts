import { NOTICES } from '../commands/notices.ts';
import { withAsk } from '../commands/words.ts';
import { closedTo } from '../domain/access.ts';
import type { Base } from '../domain/decide.ts';
import { isUntouched } from '../domain/erasure.ts';
import { ReplyRefusedError } from '../domain/errors.ts';
import type { Address, Delivery, EventOf, Person } from '../domain/events.ts';
import { MINUTE_MS, SEND_TIMEOUT_MS } from '../domain/limits.ts';
import type { Channel } from '../ports/chatApp.ts';
import type { PersonRecord } from '../ports/tenants.ts';
import { decided } from './access.ts';
import { type Appended, stateOf } from './append.ts';
import type { WebhookDeps } from './deps.ts';
import { appendOnce, eventOfDelivery, knownStored } from './duplicates.ts';
import { noteGone } from './reach.ts';
import { replyTo } from './replies.ts';
import { placeRef, type Scene } from './scene.ts';
import { sendReply } from './sendReply.ts';
import { deliver } from './show.ts';
import { slashIn } from './slash.ts';
import { channelFor } from './workspaces.ts';

/** A stranger who wrote: who, where, and by which delivery. */
export interface Request {
  person: Person;
  to: Address;
  delivery: Delivery;
}

/** Somebody else shows the owner what is not known to be shown after this time. */
const SHOWING_MS = MINUTE_MS;

/** Whether anybody can let this stranger in and has not been shown them yet, so that this message has to do it. */
function isNews({ record, known }: Scene, { delivery }: Request, now: number): boolean {
  if (closedTo(record)) return false;
  return !known || known.status === 'wrote' || isOwed(known, delivery, now);
}

function isOwed({ status, asked }: PersonRecord, { key }: Delivery, now: number): boolean {
  if (status !== 'asked' || !asked || asked.shown) return false;
  return asked.key === key || (asked.at !== undefined && asked.at <= now - SHOWING_MS);
}

/** Whether this message makes the owner hear of the stranger: then the stranger is told so. */
export function willAsk({ runtime }: Pick<WebhookDeps, 'runtime'>, scene: Scene, request: Request): boolean {
  return isNews(scene, request, runtime.now()) && ownerChat(scene) !== undefined;
}

function ownerChat({ app, record }: Scene): Address | undefined {
  return record.owner === undefined ? undefined : (app.privateChat(record.owner) ?? record.ownerChat);
}

/**
 * Asks the owner about a stranger, once, whatever dies in between (SPEC 9.3):
 *
 * 1. The person's record `asked` is added unless there is one: of several messages at once, in whatever places, one
 *    wins, and the record names it. Any other message stops here.
 * 2. `access.asked` is appended in the owner's place, once for that message.
 * 3. The notice goes out, made from that event; its choices are the event's, so that a notice which is sent twice is
 *    settled once.
 * 4. The record notes that it was shown.
 *
 * A crash behind 1 is mended when the app delivers that message again, or by another message of theirs after a while. A
 * crash behind 3 may show the notice twice, as with every answer that goes out by an API call. Where the owner's chat is
 * not known, the request stands in `/people` alone.
 */
export async function askOwner(deps: WebhookDeps, scene: Scene, request: Request): Promise<void> {
  const now = deps.runtime.now();
  if (!isNews(scene, request, now)) return;
  const { place, channel } = scene;
  const { person, to, delivery } = request;
  const asking: PersonRecord = { ...named(person), status: 'asked', asked: { key: delivery.key, to, at: now } };
  const there = await deps.tenants.addPerson(place.tenant, channel.id, asking);
  const { asked } = there;
  if (!asked || !isOwed(there, delivery, now)) return;
  // As of the message that the record names, so that it is one event, whichever message brings it about.
  const sentAt = asked.key === delivery.key ? delivery.sentAt : (asked.at ?? delivery.sentAt);
  await showOwner(deps, scene, { ...request, delivery: { ...delivery, key: asked.key, sentAt } });
  await deps.tenants.putPerson(place.tenant, channel.id, { ...there, asked: { ...asked, shown: true } });
}

function named({ id, name }: Person): Pick<PersonRecord, 'id' | 'name'> {
  return name === undefined ? { id } : { id, name };
}

async function showOwner(deps: WebhookDeps, scene: Scene, request: Request): Promise<void> {
  const chat = ownerChat(scene);
  const { owner } = scene.record;
  if (!chat || owner === undefined) return;
  const channel = await channelTo(deps, scene, chat);
  if (!channel) return;
  const at = { ...ownerScene(scene, chat, owner), channel };
  const base: Base = {
    delivery: { ...request.delivery, key: `ask:${request.delivery.key}` },
    ...{ person: { id: owner }, to: chat, command: 'access-asked' },
  };
  const state = await stateOf(deps.log, at.place, await deps.log.newest(at.place));
  const outcome = await appendOnce(deps, at.place, state, base.delivery, () => ({
    draft: { type: 'access.asked', data: { ...base, who: { id: request.person.id } } },
  }));
  if ('event' in outcome) return notify(deps, at, outcome.event);
  const before = await eventOfDelivery(deps.log, at.place, base.delivery, outcome.state.seq);
  const known = before && knownStored(before);
  if (known) await notify(deps, at, known);
}

/** The channel as it is where this goes: not always the workspace that the request came from. */
async function channelTo(deps: WebhookDeps, { app, place, record }: Scene, to: Address): Promise<Channel | undefined> {
  return channelFor(deps, app, await deps.openChannel(place.tenant, record), to.chat);
}

function ownerScene(scene: Scene, to: Address, owner: string): Scene {
  const { known: _stranger, told: _told, ...rest } = scene;
  return { ...rest, place: placeRef(scene.channel, to, owner), asker: { ...scene.asker, role: 'owner', group: false } };
}

async function notify(deps: WebhookDeps, scene: Scene, event: Appended): Promise<void> {
  await sendReply(deps, scene, event, await replyTo(deps, scene, NOTICES['access-asked'], event));
}

/**
 * Puts what the owner decided into force and tells whoever was let in. The event came first and settled the press; a
 * delivery that comes again does this again, and what was decided later stays (`at`).
 */
export async function putInForce(deps: WebhookDeps, scene: Scene, event: EventOf<'person.changed'>): Promise<void> {
  const { who, status } = event.data;
  const { tenant } = scene.place;
  const { person: before } = await deps.tenants.check(tenant, scene.channel.id, who.id);
  await deps.tenants.putPerson(tenant, scene.channel.id, decided({ ...before, id: who.id }, status, event.at));
  const to = before?.asked?.to ?? scene.app.privateChat(who.id);
  if (status === 'let-in' && before?.status !== 'let-in' && to)
    await welcome(deps, scene, event.id, { who: who.id, to });
}

async function welcome(
  deps: WebhookDeps,
  scene: Scene,
  key: string,
  { who, to }: { who: string; to: Address },
): Promise<void> {
  const { app } = scene;
  const place = placeRef(scene.channel, to, who);
  const slash = slashIn(app.limits, place);
  const write = `Write to me${withAsk({ withoutMessages: !app.limits.deliversMessages }, slash)} as you like`;
  const markdown = `The owner of this bot has let you in. ${write}; ${slash('help')} lists what I can do.`;
  try {
    const channel = await channelTo(deps, scene, to);
    const state = await stateOf(deps.log, place, await deps.log.newest(place));
    if (!channel || state.gone !== undefined) return;
    const options = { key: `${key}:in`, timeoutMs: SEND_TIMEOUT_MS };
    const { gone } = await deliver(deps, app.sender(channel), to, app.render({ markdown }), options);
    if (gone !== undefined && !isUntouched(state)) await noteGone(deps, place, state, gone);
  } catch (error) {
    // They are let in all the same.
    if (error instanceof ReplyRefusedError) deps.logger.warn('people.not-told');
    else deps.logger.error('people.not-told', error);
  }
}
