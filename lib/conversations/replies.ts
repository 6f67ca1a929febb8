import { catalogFor } from '../commands/catalog.ts';
import type { Handler, Reply, ReplyContext } from '../commands/command.ts';
import type { Base } from '../domain/decide.ts';
import { ACTION_LIFETIME_MS, OPEN_ACTIONS } from '../domain/limits.ts';
import type { ActionItem } from '../ports/actions.ts';
import type { Outgoing, ShownChoice } from '../ports/chatApp.ts';
import type { Appended } from './append.ts';
import { chatFacts } from './chatFacts.ts';
import type { WebhookDeps } from './deps.ts';
import type { Scene } from './scene.ts';
import { dayOf } from './usage.ts';

/** What the person is told about their command: made from the stored event, so that it is the same each time. */
export async function replyTo(deps: WebhookDeps, scene: Scene, handler: Handler, event: Appended): Promise<Reply> {
  const { app, asker, tenant } = scene;
  const usage = handler.reads === 'usage' ? await usageToday(deps, tenant.tenant) : undefined;
  const context: ReplyContext = {
    event,
    state: event.state,
    slash: (name, args) => `${app.limits.commandPrefix}${name}${args ? ` ${args}` : ''}`,
    role: asker.role,
    group: asker.group,
    // Most replies show neither.
    get catalog() {
      return catalogFor(asker);
    },
    get chat() {
      const facts = chatFacts(deps.resolveModel, tenant, event.state.options);
      return usage ? { ...facts, usage } : facts;
    },
  };
  return handler.reply(context);
}

async function usageToday(deps: WebhookDeps, tenant: string) {
  const [row] = await deps.usage.read(tenant, 1);
  return row?.day === dayOf(deps.runtime.now()) ? row : { turns: 0, inputTokens: 0, outputTokens: 0 };
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
      expiresAt: event.at + ACTION_LIFETIME_MS,
    },
  };
  await Promise.all([deps.actions.put(item), trim(deps, item)]);
  const choices = reply.choices.map(
    (choice, n): ShownChoice => ({ label: choice.label, value: actionValue(item.id, n) }),
  );
  return { markdown: reply.markdown, choices };
}

/** What a button carries: 64 bytes at most, in every app (SPEC 11; PLATFORMS A3). */
export function actionValue(action: string, choice: number): string {
  return `a:${action}:${choice}`;
}

/** Deletes the person's oldest open actions in this chat that are too many beside this one (SPEC 11.3). */
async function trim(deps: WebhookDeps, { id: own, tenant, channelId, chat, person }: ActionItem): Promise<void> {
  const items = await deps.actions.list({ tenant, channelId, chat });
  const others = items.filter((item) => item.person === person && item.id !== own);
  const surplus = others.slice(0, Math.max(0, others.length + 1 - OPEN_ACTIONS));
  await Promise.all(surplus.map(({ id }) => deps.actions.delete({ tenant, channelId, chat, id })));
}
