import type { UsageCounters } from '../ports/capacity.ts';
import type { Logger, Runtime } from '../ports/runtime.ts';

/** The day that use is counted under: UTC, `2026-11-30`. */
export function dayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}

/**
 * Adds to the tenant's counters of today. To be called once, after the append that won, and never again: a counter may
 * miss one, it never doubles (DESIGN 3).
 * @returns when it is counted, or could not be: for whoever looks at the counters next. It never throws.
 */
export function countUse(
  deps: { usage: UsageCounters; runtime: Runtime; logger: Logger },
  tenant: string,
  counts: { turns?: number; inputTokens?: number; outputTokens?: number },
): Promise<void> {
  const counted = deps.usage.add(tenant, dayOf(deps.runtime.now()), counts);
  return counted.catch((error) => deps.logger.error('usage.not-counted', error));
}
