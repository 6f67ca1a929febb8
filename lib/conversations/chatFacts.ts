import type { ChatFacts } from '../commands/command.ts';
import { type ChatOptions, EFFORTS } from '../domain/events.ts';
import { modeInForce, nearestEffort } from '../domain/settings.ts';
import type { ResolveModel } from '../ports/engine.ts';
import type { TenantRecord } from '../ports/tenants.ts';

/** The chat's settings over the tenant's defaults for new chats. */
export function optionsInForce(tenant: TenantRecord, options: ChatOptions): ChatOptions {
  const { model, effort, fast, mode } = { ...tenant.settings, ...options };
  return {
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(fast === undefined ? {} : { fast }),
    ...(mode === undefined ? {} : { mode }),
  };
}

/** What a chat's answers come from, for replies that show it. */
export function chatFacts(resolve: ResolveModel, tenant: TenantRecord, options: ChatOptions): ChatFacts {
  const inForce = optionsInForce(tenant, options);
  const resolved = resolve(tenant.providers, options, tenant.settings);
  const efforts = resolved.ok ? resolved.efforts : EFFORTS;
  return {
    ...(resolved.ok ? { model: resolved.name, contextWindow: resolved.contextWindow } : {}),
    ...(!resolved.ok && inForce.model !== undefined ? { missing: inForce.model } : {}),
    ...(inForce.effort === undefined ? {} : { effort: nearestEffort(inForce.effort, efforts) }),
    efforts,
    fast: inForce.fast ?? false,
    fastService: resolved.ok ? resolved.fast : true,
    mode: modeInForce(options, tenant.settings),
  };
}
