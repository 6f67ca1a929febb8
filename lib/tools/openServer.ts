import type { OutwardGuard } from '../ports/outward.ts';
import { openAll, type SecretBox, toolServerOwner } from '../ports/secrets.ts';
import type { ToolCatalog, ToolServerRecord } from '../ports/tenants.ts';
import type { ToolServerError } from './fault.ts';
import type { Resolve } from './guardedFetch.ts';
import { TOOL_TIMES, ToolSession, type ToolTimes } from './session.ts';

/** What it takes to speak to a tenant's tool servers. */
export interface ServerDeps {
  secrets: SecretBox;
  guard: OutwardGuard;
  /** Absent: the system's. */
  resolve?: Resolve;
  /** Absent: `TOOL_TIMES`. */
  times?: ToolTimes;
}

/**
 * A session with a tool server; nothing is asked of it yet.
 * @param catalog what is known of it.
 * @param onFault told of what goes wrong.
 */
export function sessionWith(
  { secrets, guard, resolve, times = TOOL_TIMES }: ServerDeps,
  tenant: string,
  { name, url, headers: sealed }: ToolServerRecord,
  catalog?: ToolCatalog,
  onFault?: (fault: ToolServerError) => void,
): ToolSession {
  const headers = () => openAll(secrets, sealed, { tenant, owner: toolServerOwner(name) });
  return new ToolSession({
    ...{ url, headers, guard, resolve, times },
    ...(onFault === undefined ? {} : { onFault }),
    ...(catalog === undefined ? {} : { protocol: catalog.protocol, tools: catalog.tools }),
  });
}
