import type { Reply } from '../commands/command.ts';
import { handlerNamed } from '../commands/notices.ts';
import type { Base } from '../domain/decide.ts';
import type { Draft } from '../domain/events.ts';
import { SEND_TIMEOUT_MS } from '../domain/limits.ts';
import { shortKey } from '../domain/rate.ts';
import { remembers } from '../domain/ring.ts';
import type { State } from '../domain/state.ts';
import type { ActionItem, ActionTarget } from '../ports/actions.ts';
import type { ChatApp, IncomingPress } from '../ports/chatApp.ts';
import type { Answers } from './answers.ts';
import { type Appended, stateOf } from './append.ts';
import { doingOf } from './choices.ts';
import { releaseDropped } from './deferred.ts';
import type { WebhookDeps } from './deps.ts';
import { appendOnce, eventAgain, eventOfDelivery } from './duplicates.ts';
import { carryOut } from './effects.ts';
import { isOpen } from './openActions.ts';
import { appendPermitted } from './personRate.ts';
import { goneReason, noteGone } from './reach.ts';
import { replyAsIf, replyTo, showable } from './replies.ts';
import { enqueueIfOwed, placeRef, type Scene, sceneOf, type Taken } from './scene.ts';
import { sendReply } from './sendReply.ts';
import { admitPress } from './tenantLimits.ts';
import { takeChoices } from './usedMessage.ts';

const USED = 'This button was used already.';
const EXPIRED = 'This button no longer works. Send the command again.';
const CANCELLED = 'This was cancelled.';
const NOT_PERMITTED = 'You can no longer do that here.';
const NOT_YOURS = 'This button is for somebody else.';

/** What a press is taken with: `answers` is shared by all that one process takes. */
type PressDeps = WebhookDeps & { answers: Answers };

/**
 * A press of a button (SPEC 11): checked again now, settled by the append that names the action, so that of two presses
 * one wins; then what it does, then the message is edited and the item deleted.
 * @returns what is not `taken` as `sceneOf`.
 */
export async function press(
  deps: PressDeps,
  app: ChatApp,
  taken: Taken,
  incoming: IncomingPress,
): Promise<'taken' | Exclude<Awaited<ReturnType<typeof sceneOf>>, Scene>> {
  const { to, person } = incoming;
  const { channel } = taken;
  const group = to.group === true;
  const place = placeRef(channel, to, person.id);
  const key = { tenant: channel.tenant, channelId: channel.id, chat: to.chat, id: incoming.action };
  const [item, newest, scene] = await Promise.all([
    incoming.action ? deps.actions.get(key) : undefined,
    deps.log.newest(place),
    sceneOf(deps, app, taken, { place, person: person.id, group }),
  ]);
  if (typeof scene === 'string') return scene;
  const state = await stateOf(deps.log, place, newest);
  const refusal = refusalOf(incoming, item, state, deps.runtime.now());
  if (refusal) await refuse(deps, scene, incoming, refusal, item);
  else if (item) await settle(deps, scene, incoming, item, state);
  return 'taken';
}

/** Why a press has no effect: `text` for the person, `over` if the buttons can go; `changed`: another press was before. */
interface Refusal {
  text: string;
  over: boolean | 'changed';
}

function refusalOf(
  incoming: IncomingPress,
  item: ActionItem | undefined,
  state: State,
  now: number,
): Refusal | undefined {
  if (item && item.person !== incoming.person.id) return { text: NOT_YOURS, over: false };
  // A press that comes again after its item was deleted goes on to its event, which says whether it was this one.
  const used = remembers(state.ring, actionKey(incoming.action));
  if (used && (!item || item.closed)) return { text: USED, over: 'changed' };
  if (!item || item.closed) return { text: item ? CANCELLED : EXPIRED, over: true };
  if (used) return undefined;
  if (!isOpen(item, now) || !item.choices[incoming.choice]) return { text: EXPIRED, over: true };
  const before = item.refused?.find(({ update }) => update === shortKey(incoming.update));
  return before && { text: before.text, over: false };
}

async function refuse(
  deps: WebhookDeps,
  scene: Scene,
  incoming: IncomingPress,
  { text, over }: Refusal,
  item?: ActionItem,
): Promise<void> {
  const sender = scene.app.sender(scene.channel);
  const removed = over ? takeChoices(deps, scene, incoming, { item, changed: over === 'changed' }) : undefined;
  await Promise.all([sender.answerPress(incoming, text), removed]);
  deps.logger.info('press.refused', { over: over !== false });
}

/** The delivery key of a press: the action itself, so that the state refuses a second one (DESIGN 3a). */
function actionKey(action: string): string {
  return `action:${action}`;
}

async function settle(
  deps: PressDeps,
  scene: Scene,
  incoming: IncomingPress,
  item: ActionItem,
  state: State,
): Promise<void> {
  const choice = item.choices[incoming.choice];
  if (!choice) return refuse(deps, scene, incoming, { text: EXPIRED, over: true }, item);
  const pressed = pressBase(incoming, item);
  const doing = await doingOf({ deps, scene, state, base: pressed, target: choice.target });
  if (!doing) return refuse(deps, scene, incoming, { text: NOT_PERMITTED, over: true }, item);
  const base = { ...pressed, ...(doing.command === undefined ? {} : { command: doing.command }) };
  const { settings } = scene.tenant;
  const now = deps.runtime.now();
  let refused = async () => '';
  let waited: readonly number[] = [];
  const writing = { person: incoming.person.id, key: base.delivery.key };
  const outcome = await appendPermitted<'silence' | 'duplicate'>(deps, scene, writing, state, (from, permits) =>
    appendOnce<'silence' | 'rate'>(deps, scene.place, from, base.delivery, (current) => {
      waited = current.waiting;
      const draft = doing.decide(current, base);
      if (passes(draft)) {
        refused = () => refusalNow(deps, scene, draft, current);
        return { give: 'silence' };
      }
      const admitted = admitPress(draft, { settings, use: scene.use, state: current, now, permits });
      if (!('limited' in admitted)) return admitted;
      refused = async () => admitted.limited;
      return { give: 'silence' };
    }),
  );
  if ('gave' in outcome && outcome.gave === 'silence') {
    const text = await refused();
    // Noted before it is told: delivered again, it must not do later what it was refused (SPEC 2.3).
    await deps.actions.noteRefused(item, { update: shortKey(incoming.update), text });
    return refuse(deps, scene, incoming, { text, over: false });
  }
  await enqueueIfOwed(deps, scene.place, 'event' in outcome ? outcome.event.state : outcome.state);
  const event = 'event' in outcome ? outcome.event : await sameDelivery(deps, scene, base, outcome.state);
  if (!event) return refuse(deps, scene, incoming, { text: USED, over: 'changed' });
  await carryOut(deps, scene, event);
  await show(deps, doing.scene ?? scene, incoming, item, event);
  if (scene.app.limits.repliesInHttp && 'event' in outcome) {
    const { app, channel, place } = scene;
    await releaseDropped({ app, sender: app.sender(channel), log: deps.log, place }, waited, outcome.event.state);
  }
  await deps.actions.delete(item);
}

/** Whether what the press comes to is refused just now alone: it can be pressed again later. */
function passes({ type, data }: Draft): boolean {
  return type === 'command.ran' && handlerNamed(data.command)?.passing?.includes(data.outcome) === true;
}

/** Why the press is refused just now: what its event would say, if there were one. */
async function refusalNow(deps: WebhookDeps, scene: Scene, draft: Draft, state: State): Promise<string> {
  const said = await replyAsIf(deps, scene, draft, state);
  return said?.reply.markdown ?? '';
}

/** The event of this very press, delivered before; undefined if another press was first. */
async function sameDelivery(deps: WebhookDeps, scene: Scene, base: Base, state: State): Promise<Appended | undefined> {
  const before = await eventOfDelivery(deps.log, scene.place, base.delivery, state.seq);
  return eventAgain(before, base.delivery);
}

function pressBase({ person, to, update, sentAt: pressedAt }: IncomingPress, item: ActionItem): Base {
  const delivery = { key: actionKey(item.id), update, sentAt: item.createdAt, pressedAt };
  return { delivery, person, to, action: item.id };
}

/** The message with these choices says something that stays; what the press comes to is said below it. */
const KEEPS_MESSAGE: ReadonlySet<ActionTarget['kind']> = new Set(['run', 'send', 'answer']);

/** Ends the app's waiting sign and shows what came of it: in the pressed message, or as a message of its own. */
async function show(
  deps: PressDeps,
  scene: Scene,
  incoming: IncomingPress,
  item: ActionItem,
  event: Appended,
): Promise<void> {
  const picked = item.choices[incoming.choice];
  const handler = handlerNamed((event.data as Partial<Base>).command);
  const sender = scene.app.sender(scene.channel);
  const reply = handler && event.type !== 'message' ? await replyTo(deps, scene, handler, event) : undefined;
  if (reply?.refusal) return refuse(deps, scene, incoming, { text: reply.markdown, over: true }, item);
  if (!reply || (picked && KEEPS_MESSAGE.has(picked.target.kind))) {
    const taken = takeChoices(deps, scene, incoming, { item, taken: picked?.label });
    await Promise.all([sender.answerPress(incoming), taken]);
    // What sends a message is answered by the worker.
    if (reply) await answer(deps, scene, event, reply);
    return;
  }
  await sender.answerPress(incoming);
  await editPressed(deps, scene, incoming, event, reply);
}

async function editPressed(
  deps: PressDeps,
  scene: Scene,
  incoming: IncomingPress,
  event: Appended,
  reply: Reply,
): Promise<void> {
  const sender = scene.app.sender(scene.channel);
  const id = sender.pressedMessage(incoming);
  const outgoing = await showable(deps, scene, event, reply);
  const [piece] = scene.app.render({ ...outgoing, inPlace: true });
  if (id === undefined || !piece) {
    await answer(deps, scene, event, reply);
    return;
  }
  const result = await sender.edit(incoming.to, id, piece, { timeoutMs: SEND_TIMEOUT_MS });
  if (result.kind !== 'sent') deps.logger.warn('press.not-shown', { kind: result.kind, reason: result.reason });
  const gone = goneReason(result);
  if (gone !== undefined) await noteGone(deps, scene.place, event.state, gone);
}

/** One press may be delivered several times at once. */
async function answer(deps: PressDeps, scene: Scene, event: Appended, reply: Reply): Promise<void> {
  await deps.answers.give(scene.app.limits, event.id, () => sendReply(deps, scene, event, reply));
}
