import { limitSentence } from '../commands/limitWords.ts';
import type { Draft, DraftOf, Limited } from '../domain/events.ts';
import { DAY_MS, MESSAGES_WAITING } from '../domain/limits.ts';
import type { State } from '../domain/state.ts';
import type { TenantSettings } from '../ports/tenants.ts';
import type { WebhookDeps } from './deps.ts';
import type { Permits } from './personRate.ts';
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

function nextDay(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS;
}

/** Whether the tenant's counters have to be read. */
export function looksAtUse({ turnsPerDay, tokensPerDay }: TenantSettings): boolean {
  return (turnsPerDay ?? 0) > 0 || (tokensPerDay ?? 0) > 0;
}

type UseDeps = { usage: WebhookDeps['usage']; runtime: Pick<WebhookDeps['runtime'], 'now'> };

/** The use of today, read only where a limit looks at it. */
export function useToday(
  deps: UseDeps,
  tenant: string,
  settings: TenantSettings | undefined,
): Promise<UseToday> | undefined {
  return settings && looksAtUse(settings) ? readToday(deps, tenant) : undefined;
}

/** The use of today: the newest day that is counted may be an earlier one. */
export async function readToday(deps: UseDeps, tenant: string): Promise<UseToday> {
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
  /** Each is absent until it is asked for. */
  permits: Permits;
}

/**
 * What becomes of a draft: itself, the news that a limit is reached, or nothing, as that (`unsaid`) was told just now; or a permit is
 * needed to tell, with which it is decided again.
 */
export type Admitted = { draft: Draft } | { give: 'silence'; unsaid: Draft } | { give: keyof Permits };

/** The limit that a draft is past, if it sends a message; or a permit is needed to tell. */
function reachedBy(
  draft: Draft,
  { settings, use, state, now, permits: { rate } }: AdmissionFacts,
): Reached | 'rate' | undefined {
  if (draft.data.content === undefined) return undefined;
  const reached = tenantLimit(settings, use, now) ?? tooManyWait(draft, state);
  const { messagesPerMinute: allowed } = settings;
  if (reached || allowed === undefined) return reached;
  if (!rate) return 'rate';
  return rate.ok ? undefined : { limit: 'messagesPerMinute', allowed, opensAt: rate.opensAt };
}

/**
 * Lets a draft through unless it sends a message past a limit (SPEC 9.4). It is asked in the same decision as the
 * append, on the state in force, so that of many messages at once no more than allowed get in.
 */
export function admit(draft: Draft, given: AdmissionFacts): Admitted {
  const reached = reachedBy(draft, given);
  if (reached === 'rate') return { give: reached };
  if (!reached) return { draft };
  const { tell } = given.permits;
  if (tell === undefined) return { give: 'tell' };
  return tell ? { draft: newsOf(draft, reached) } : { give: 'silence', unsaid: newsOf(draft, reached) };
}

/** It names no action: choices that were picked stay open. */
function newsOf(draft: Draft, reached: Reached): Draft {
  const { delivery, person, to } = draft.data as DraftOf<'message'>['data'];
  return { type: 'limit.reached', data: { delivery, person, to, command: 'limit-reached', ...reached } };
}

/** As `admit` for a press: it is told privately, each time, appends nothing and leaves the choices open. */
export function admitPress(
  draft: Draft,
  given: AdmissionFacts,
): { draft: Draft } | { limited: string } | { give: 'rate' } {
  const reached = reachedBy(draft, given);
  if (reached === 'rate') return { give: reached };
  if (!reached) return { draft };
  return { limited: limitSentence(reached.limit, reached.allowed, reached.opensAt, given.now) };
}
