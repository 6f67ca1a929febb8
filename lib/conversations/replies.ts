import { catalogFor } from '../commands/catalog.ts';
import type { Handler, Reply, ReplyContext } from '../commands/command.ts';
import type { Base } from '../domain/decide.ts';
import { ACTION_LIFETIME_MS, OPEN_ACTIONS } from '../domain/limits.ts';
import type { ActionItem } from '../ports/actions.ts';
import type { Limits, Outgoing, ShownChoice } from '../ports/chatApp.ts';
import type { Appended } from './append.ts';
import { chatFacts } from './chatFacts.ts';
import type { WebhookDeps } from './deps.ts';
import { factsFor, tenantFacts } from './prepare.ts';
import type { Scene } from './scene.ts';

/** What the person is told about their command: made from the stored event, so that it is the same each time. */
export async function replyTo(deps: WebhookDeps, scene: Scene, handler: Handler, event: Appended): Promise<Reply> {
  const { app, asker, tenant } = scene;
  const context: ReplyContext = {
    event,
    state: event.state,
    slash: (name, args) => slashIn(app.limits, name, args),
    asker,
    buttonLimit: app.limits.buttonLimit,
    facts: await factsFor(deps, scene, handler, event.state),
    // Most replies show none of these.
    get tenant() {
      return tenantFacts(deps, tenant);
    },
    get catalog() {
      return catalogFor(asker, tenant);
    },
    get chat() {
      return chatFacts(deps.resolveModel, tenant, event.state.options);
    },
  };
  return handler.reply(context);
}

/** A command as this app writes it, in a form that it makes a link of where it can (SPEC 12.1, 12.2). */
function slashIn({ commandPrefix, hyphen = '-' }: Limits, name: string, args?: string): string {
  return `${commandPrefix}${name.replaceAll('-', hyphen)}${args ? ` ${args}` : ''}`;
}

/** A reply ready to show, with its choices stored as one ChatAction (SPEC 11.1). */
export async function showable(deps: WebhookDeps, scene: Scene, event: Appended, reply: Reply): Promise<Outgoing> {
  if (!reply.choices?.length) return { markdown: reply.markdown };
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

/** Stores the choices of a message and gives them as they are shown. May be repeated for the same message. */
export async function storeChoices(
  deps: Pick<WebhookDeps, 'actions'>,
  limits: Limits,
  item: ActionItem,
): Promise<ShownChoice[]> {
  await Promise.all([deps.actions.put(item), trim(deps, limits, item)]);
  return item.choices.map(({ label }, n): ShownChoice => ({ label, value: actionValue(item.id, n) }));
}

/** What a button carries: 64 bytes at most, in every app (SPEC 11). */
export function actionValue(action: string, choice: number): string {
  return `a:${action}:${choice}`;
}

/** Choices that stay until they are answered end after ten years. */
export const LASTING_MS = 3_650 * 86_400_000;

/**
 * Deletes the person's oldest open actions in this chat that are too many beside this one (SPEC 11.3), last those that
 * stay until they are answered (SPEC 9.3). Where there are no buttons, all that were shown before go: numbers count only
 * while they are the bot's last message (SPEC 11.4).
 */
async function trim(deps: Pick<WebhookDeps, 'actions'>, { hasButtons }: Limits, own: ActionItem): Promise<void> {
  const { tenant, channelId, chat, person, seq } = own;
  const items = await deps.actions.list({ tenant, channelId, chat });
  const others = items.filter((one) => one.person === person && one.id !== own.id);
  const oldestFirst = [...others.filter(({ lasting }) => !lasting), ...others.filter(({ lasting }) => lasting)];
  const surplus = oldestFirst.slice(0, Math.max(0, others.length + 1 - OPEN_ACTIONS));
  const closed = hasButtons ? surplus : others.filter((one) => one.seq < seq && !one.lasting);
  await Promise.all(closed.map(({ id }) => deps.actions.delete({ tenant, channelId, chat, id })));
}
