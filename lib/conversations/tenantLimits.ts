import { limitSentence } from '../commands/limitWords.ts';
import { contentOf, type Draft, type DraftOf, type Limited } from '../domain/events.ts';
import { MESSAGES_WAITING, MINUTE_MS } from '../domain/limits.ts';
import type { State } from '../domain/state.ts';
import type { TenantSettings } from '../ports/tenants.ts';
import type { WebhookDeps } from './deps.ts';
import { dayOf } from './usage.ts';

/** The use of a tenant today, where a limit looks at it. */
export interface UseToday {
  turns: number;
  inputTokens: number;
  outputTokens: number;
}

/** A limit that is reached; `opensAt` (ms) is absent where nothing is allowed at all. */
export interface Reached {
  limit: Limited;
  allowed: number;
  opensAt?: number;
}

const DAY_MS = 86_400_000;

function nextDay(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS;
}

/** Whether the tenant's counters have to be read. */
export function looksAtUse({ turnsPerDay, tokensPerDay }: TenantSettings): boolean {
  return (turnsPerDay ?? 0) > 0 || (tokensPerDay ?? 0) > 0;
}

/** The use of today, read only where a limit looks at it. */
export async function useToday(
  deps: { usage: WebhookDeps['usage']; runtime: Pick<WebhookDeps['runtime'], 'now'> },
  tenant: string,
  settings: TenantSettings | undefined,
): Promise<UseToday | undefined> {
  if (!settings || !looksAtUse(settings)) return undefined;
  const [row] = await deps.usage.read(tenant, 1);
  const isToday = row?.day === dayOf(deps.runtime.now());
  return isToday ? row : { turns: 0, inputTokens: 0, outputTokens: 0 };
}

/** The limit of the whole tenant that is reached (SPEC 9.4); undefined if there is none. */
export function tenantLimit(settings: TenantSettings, use: UseToday | undefined, now: number): Reached | undefined {
  const { turns = 0, inputTokens = 0, outputTokens = 0 } = use ?? {};
  const used = { turnsAtOnce: 0, turnsPerDay: turns, tokensPerDay: inputTokens + outputTokens, messagesPerMinute: 0 };
  for (const limit of ['turnsAtOnce', 'messagesPerMinute', 'turnsPerDay', 'tokensPerDay'] as const) {
    const allowed = settings[limit];
    if (allowed === 0) return { limit, allowed };
    if (allowed !== undefined && used[limit] >= allowed) return { limit, allowed, opensAt: nextDay(now) };
  }
  return undefined;
}

/** The limit of one person's messages, by the send times in their place's state. */
function personLimit({ messagesPerMinute: allowed }: TenantSettings, state: State, now: number): Reached | undefined {
  if (!allowed) return undefined;
  const recent = (state.sent ?? []).filter((at) => at > now - MINUTE_MS);
  const opens = recent.at(-allowed);
  if (recent.length < allowed || opens === undefined) return undefined;
  return { limit: 'messagesPerMinute', allowed, opensAt: opens + MINUTE_MS };
}

/** As many wait as one turn can name; what begins anew drops them. */
function tooManyWait(draft: Draft, { waiting }: State): Reached | undefined {
  if (draft.type === 'conversation.started' || waiting.length < MESSAGES_WAITING) return undefined;
  return { limit: 'waiting', allowed: MESSAGES_WAITING };
}

/** What a draft is let through on. */
export interface AdmissionFacts {
  settings: TenantSettings;
  use: UseToday | undefined;
  state: State;
  now: number;
}

/** What becomes of a draft: itself, the news that a limit is reached, or nothing, as that was told just now. */
export type Admitted = { draft: Draft } | { give: 'silence' };

/**
 * Lets a draft through unless it sends a message past a limit (SPEC 9.4). It is asked in the same decision as the
 * append, on the state in force, so that of many messages at once no more than allowed get in.
 */
export function admit(draft: Draft, given: AdmissionFacts): Admitted {
  const { settings, use, state, now } = given;
  if (!contentOf({ ...draft, seq: 0, id: '', at: 0 })) return { draft };
  const reached = tenantLimit(settings, use, now) ?? personLimit(settings, state, now) ?? tooManyWait(draft, state);
  if (!reached) return { draft: timed(draft, settings) };
  if (state.limitTold !== undefined && state.limitTold > now - MINUTE_MS) return { give: 'silence' };
  // It names no action: choices that were picked stay open.
  const { delivery, person, to } = draft.data as DraftOf<'message'>['data'];
  return { draft: { type: 'limit.reached', data: { delivery, person, to, command: 'limit-reached', ...reached } } };
}

/** The draft of a message, with the limit that its time counts towards. */
function timed(draft: Draft, { messagesPerMinute: perMinute }: TenantSettings): Draft {
  return perMinute === undefined ? draft : ({ ...draft, data: { ...draft.data, perMinute } } as Draft);
}

/** As `admit` for a press: it is told privately, each time, appends nothing and leaves the choices open. */
export function admitPress(draft: Draft, given: AdmissionFacts): { draft: Draft } | { limited: string } {
  const { limitTold: _told, ...state } = given.state;
  const admitted = admit(draft, { ...given, state });
  if (!('draft' in admitted)) return { draft };
  if (admitted.draft.type !== 'limit.reached') return { draft: admitted.draft };
  const { limit, allowed, opensAt } = admitted.draft.data;
  return { limited: limitSentence(limit, allowed, opensAt, given.now) };
}
