import {
  type CommandContext,
  type EarlierConversation,
  type Facts,
  type Handler,
  type Preparation,
  type Prepared,
  type TenantFacts,
  whoIn,
} from '../commands/command.ts';
import { isNumber, TITLE_CHARS } from '../commands/resume.ts';
import type { Base } from '../domain/decide.ts';
import { type Content, type Conversation, contentOf, type Draft, type Event } from '../domain/events.ts';
import type { PlaceRef } from '../domain/place.ts';
import type { State } from '../domain/state.ts';
import type { ActionChoice } from '../ports/actions.ts';
import type { Log } from '../ports/log.ts';
import type { TenantRecord } from '../ports/tenants.ts';
import { mayBeCode, tryClaim } from './access.ts';
import type { Appended } from './append.ts';
import { chatFacts } from './chatFacts.ts';
import { conversationEvents } from './conversation.ts';
import type { WebhookDeps } from './deps.ts';
import { isOpen } from './openActions.ts';
import type { Scene } from './scene.ts';
import { readToday } from './tenantLimits.ts';

/** What a preparation or a fact is got from. */
interface Getting {
  deps: WebhookDeps;
  scene: Scene;
  state: State;
  base: Base;
  args: string;
}

const PREPARATIONS: { [P in Preparation]: (getting: Getting) => Promise<Prepared[P]> } = {
  async claim({ deps, scene, base, args }) {
    if (!args || base.to.group || !mayBeCode(scene, args, deps.runtime.now())) return undefined;
    return tryClaim(deps, scene, base, args);
  },
  async lastMessage({ deps, scene, state }) {
    const { last } = state.memory;
    const event = last === undefined ? undefined : await deps.log.at(scene.place, last, { strong: true });
    const content = event && contentOf(event);
    return last === undefined || !content ? undefined : { seq: last, content };
  },
  async openChoices({ deps, scene, base }) {
    const open = await openActions(deps, scene, base);
    return open.filter(({ lasting }) => !lasting).map(({ id }) => id);
  },
  earlier: ({ deps, scene, state }) => earlierConversations(deps, scene, state),
  async listed({ deps, scene, base, args }) {
    if (!isNumber(args)) return undefined;
    const lists = (await openActions(deps, scene, base)).map(({ choices }) => choices.flatMap(listedConversation));
    return lists.findLast((list) => list.length > 0);
  },
};

/** The person's open choices in this chat, oldest first. */
async function openActions({ actions, runtime }: WebhookDeps, { channel, place }: Scene, { to, person }: Base) {
  const items = await actions.list({ tenant: place.tenant, channelId: channel.id, chat: to.chat });
  const now = runtime.now();
  return items.filter((item) => item.place === place.place && item.person === person.id && isOpen(item, now));
}

function listedConversation({ target }: ActionChoice): number[] {
  return target.kind === 'resume' ? [target.conversation] : [];
}

type GettingFacts = Pick<Getting, 'deps' | 'scene' | 'state'> & { event: Event };

const FACTS: { [F in keyof Facts]-?: (getting: GettingFacts) => Promise<Facts[F]> } = {
  usage: ({ deps, scene }) => readToday(deps, scene.place.tenant),
  people: ({ deps, scene }) => Array.fromAsync(deps.tenants.people(scene.place.tenant, scene.channel.id)),
  async person({ deps, scene, event }) {
    const who = whoIn(event);
    return who === undefined ? undefined : (await deps.tenants.check(scene.place.tenant, scene.channel.id, who)).person;
  },
  earlier: ({ deps, scene, state }) => earlierConversations(deps, scene, state),
  access: async ({ scene }) => scene.record.access,
  conversation: ({ deps, scene, state }) => conversationEvents(deps.log, scene.place, state),
};

/** How many earlier conversations are offered, and how many leavings are followed to find them. */
const EARLIER = 24;
const LEAVINGS = 72;

/**
 * Earlier conversations of a place, the one left last first. Each state names what was left before it, so they are
 * found by going from one leaving to the one before.
 */
async function earlierConversations({ log }: WebhookDeps, { place }: Scene, state: State) {
  const found = new Map<number, EarlierConversation>();
  const asOf = state.left?.leftAt ?? 0;
  let { left } = state;
  for (let hops = 0; left && hops < LEAVINGS && found.size < EARLIER; hops++) {
    const { leftAt, ...conversation } = left;
    const id = conversation.conversation;
    if (id !== state.conversation && !found.has(id)) {
      const titled = await withTitle(log, place, conversation);
      if (titled) found.set(id, { ...titled, asOf });
    }
    // A place may begin with `/new`: nothing was left before its first event.
    left = leftAt > 1 ? (await log.at(place, leftAt - 1, { strong: true }))?.state.left : undefined;
  }
  return [...found.values()];
}

/** A conversation with the beginning of its first message; one without a message is not offered. */
async function withTitle(
  log: Log,
  place: PlaceRef,
  conversation: Conversation,
): Promise<Omit<EarlierConversation, 'asOf'> | undefined> {
  const { first } = conversation;
  const event = first === undefined ? undefined : await log.at(place, first, { strong: true });
  const content = event && contentOf(event);
  if (!event || !content) return undefined;
  const words = (content.command?.display ?? content.text).replaceAll(/\s+/gu, ' ').trim();
  return { conversation, title: [...words].slice(0, TITLE_CHARS).join(''), at: event.at };
}

/** What the tenant offers to its chats. */
export function tenantFacts(deps: Pick<WebhookDeps, 'listModels'>, tenant: TenantRecord): TenantFacts {
  return { models: deps.listModels(tenant.providers), defaults: tenant.settings };
}

/** A command's decision, once what it needs from outside is there. */
export async function prepared(
  deps: WebhookDeps,
  scene: Scene,
  state: State,
  handler: Handler,
  given: { base: Base; args: string; quote?: Content['quote'] },
): Promise<(state: State, base: Base) => Draft> {
  const rest: Prepared = handler.before
    ? await gotten(PREPARATIONS, handler.before, { deps, scene, state, ...given })
    : {};
  const chatIn = (current: State) => chatFacts(deps.resolveModel, scene.tenant, current.options);
  const { args, quote } = given;
  const context = {
    args,
    ...(quote ? { quote } : {}),
    asker: scene.asker,
    tenant: tenantFacts(deps, scene.tenant),
    chatIn,
    ...rest,
  };
  return (current, base) => handler.decide(current, { ...context, base } satisfies CommandContext);
}

/** What the command's reply needs besides its event. */
export async function factsFor(
  deps: WebhookDeps,
  scene: Scene,
  { reads = [] }: Handler,
  event: Appended,
): Promise<Facts> {
  const names = typeof reads === 'function' ? reads(event) : reads;
  return gotten(FACTS, names, { deps, scene, state: event.state, event });
}

/** What is wanted, all at once, by its name; what is undefined is left out. */
async function gotten<N extends string, G>(
  from: Record<N, (getting: G) => Promise<unknown>>,
  names: readonly N[],
  getting: G,
) {
  if (names.length === 0) return {};
  const got = await Promise.all(names.map(async (name) => [name, await from[name](getting)] as const));
  return Object.fromEntries(got.filter(([, value]) => value !== undefined));
}
