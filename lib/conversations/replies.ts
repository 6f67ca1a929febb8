import { catalogFor } from '../commands/catalog.ts';
import type { Facts, Handler, Reply, ReplyContext } from '../commands/command.ts';
import { whyNot } from '../commands/meaning.ts';
import { handlerNamed } from '../commands/notices.ts';
import type { Base } from '../domain/decide.ts';
import type { Draft } from '../domain/events.ts';
import { ACTION_LIFETIME_MS, DAY_MS, OPEN_ACTIONS } from '../domain/limits.ts';
import type { State } from '../domain/state.ts';
import type { ActionItem } from '../ports/actions.ts';
import type { Limits, Outgoing, ShownChoice } from '../ports/chatApp.ts';
import type { Appended } from './append.ts';
import { chatFacts } from './chatFacts.ts';
import { choiceStyle } from './choiceStyle.ts';
import type { WebhookDeps } from './deps.ts';
import { factsFor, tenantFacts } from './prepare.ts';
import type { Scene } from './scene.ts';
import { slashIn, slashInThreads } from './slash.ts';

/** What the person is told about their command: made from the stored event, so that it is the same each time. */
export async function replyTo(deps: WebhookDeps, scene: Scene, handler: Handler, event: Appended): Promise<Reply> {
  return handler.reply(new Context(deps, scene, event, await factsFor(deps, scene, handler, event)));
}

/** What the person would be told if this stood in the log; undefined if nobody answers for it. */
export async function replyAsIf(
  deps: WebhookDeps,
  scene: Scene,
  draft: Draft,
  state: State,
): Promise<{ event: Appended; reply: Reply } | undefined> {
  const { command, action, delivery } = draft.data as Base;
  const handler = handlerNamed(command);
  const id = action ?? delivery.key;
  const event = { ...draft, seq: state.seq, id, at: deps.runtime.now(), state } as Appended;
  return handler && { event, reply: await replyTo(deps, scene, handler, event) };
}

/** Most replies show neither the tenant's models, nor the catalog, nor the chat's settings: those are made when asked for. */
class Context implements ReplyContext {
  readonly event: Appended;
  readonly facts: Facts;
  readonly #deps: WebhookDeps;
  readonly #scene: Scene;

  constructor(deps: WebhookDeps, scene: Scene, event: Appended, facts: Facts) {
    this.#deps = deps;
    this.#scene = scene;
    this.event = event;
    this.facts = facts;
  }

  get slash() {
    const { thread, message } = (this.event.data as Base).to;
    // A reply for one person is not shown in a thread that nobody has written in yet.
    return slashIn(this.#scene.app.limits, this.#scene.place, thread === message);
  }

  get slashInThreads() {
    return slashInThreads(this.#scene.app.limits, this.#scene.place);
  }

  get state() {
    return this.event.state;
  }

  get asker() {
    return this.#scene.asker;
  }

  get buttonLimit() {
    return this.#scene.app.limits.buttonLimit;
  }

  get tenant() {
    return tenantFacts(this.#deps, this.#scene.tenant);
  }

  readonly whyNot = (name: string) => whyNot(name, this.#scene.asker, this.#scene.tenant);

  get catalog() {
    return catalogFor(this.asker, this.#scene.tenant);
  }

  get chat() {
    return chatFacts(this.#deps.resolveModel, this.#scene.tenant, this.state.options);
  }
}

/** A reply ready to show, with its choices stored as one ChatAction (SPEC 11.1). */
export async function showable(deps: WebhookDeps, scene: Scene, event: Appended, reply: Reply): Promise<Outgoing> {
  if (!reply.choices?.length) return withOpenQuestion(deps, scene, event, reply.markdown);
  const { to, person } = event.data as Base;
  const { channel, place } = scene;
  const item: ActionItem = {
    ...{ id: event.id, tenant: place.tenant, channelId: channel.id, chat: to.chat, place: place.place },
    ...{
      person: person.id,
      seq: event.seq,
      choices: reply.choices,
      createdAt: event.at,
      expiresAt: event.at + (reply.lasting ? LASTING_MS : ACTION_LIFETIME_MS),
    },
    ...(reply.lasting ? { lasting: true } : {}),
  };
  return { markdown: reply.markdown, choices: await storeChoices(deps, scene.app.limits, item) };
}

/**
 * Where there are no buttons, numbers count for the bot's last message alone (SPEC 11.4): a question that is still open
 * gets its choices again under what came after it, so that it can be answered (SPEC 7.2).
 */
async function withOpenQuestion(
  deps: WebhookDeps,
  { app, channel, place }: Scene,
  event: Appended,
  markdown: string,
): Promise<Outgoing> {
  const { question } = event.state;
  if (app.limits.hasButtons || !question) return { markdown };
  const { to, person } = event.data as Base;
  const key = { tenant: place.tenant, channelId: channel.id, chat: to.chat, id: question.id };
  const item = await deps.actions.get(key);
  if (item?.person !== person.id || item.place !== place.place) return { markdown };
  const choices = await storeChoices(deps, app.limits, { ...item, seq: event.seq });
  return { markdown: `${markdown}\n\nMy question is still open:`, choices };
}

/** Stores the choices of a message and gives them as they are shown. May be repeated for the same message. */
export async function storeChoices(
  deps: Pick<WebhookDeps, 'actions'>,
  limits: Limits,
  item: ActionItem,
): Promise<ShownChoice[]> {
  await Promise.all([deps.actions.put(item), trim(deps, limits, item)]);
  return item.choices.map((choice, n) => {
    return { label: choice.label, value: actionValue(item.id, n), ...choiceStyle(choice) };
  });
}

/** What a button carries: 64 bytes at most, in every app (SPEC 11). */
export function actionValue(action: string, choice: number): string {
  return `a:${action}:${choice}`;
}

/** Choices that stay until they are answered end after ten years. */
export const LASTING_MS = 3_650 * DAY_MS;

/**
 * Deletes the person's oldest open actions in this chat that are too many beside this one (SPEC 11.3): first questions that
 * are closed, last those that
 * stay until they are answered (SPEC 9.3). Where there are no buttons, all that were shown before go: numbers count only
 * while they are the bot's last message (SPEC 11.4).
 */
async function trim(deps: Pick<WebhookDeps, 'actions'>, { hasButtons }: Limits, own: ActionItem): Promise<void> {
  const { tenant, channelId, chat, person, seq } = own;
  const items = await deps.actions.list({ tenant, channelId, chat });
  const others = items.filter((one) => one.person === person && one.id !== own.id && !one.closed);
  const questions = [...others.filter(isQuestion), ...(isQuestion(own) ? [own] : [])];
  // Of questions of one place only the newest can be open.
  const isOver = (one: ActionItem) => questions.some(({ place, seq: at }) => place === one.place && at > one.seq);
  const over = others.filter((one) => isQuestion(one) && isOver(one));
  const rest = others.filter((one) => !over.includes(one));
  const oldestFirst = [...over, ...rest.filter(({ lasting }) => !lasting), ...rest.filter(({ lasting }) => lasting)];
  const surplus = oldestFirst.slice(0, Math.max(0, others.length + 1 - OPEN_ACTIONS));
  const closed = hasButtons ? surplus : others.filter((one) => one.seq < seq && !one.lasting);
  await Promise.all(closed.map(({ id }) => deps.actions.delete({ tenant, channelId, chat, id })));
}

function isQuestion({ choices }: ActionItem): boolean {
  return choices[0]?.target.kind === 'answer';
}
