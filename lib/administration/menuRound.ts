import { createHash } from 'node:crypto';
import { nativeMenu } from '../commands/catalog.ts';
import { NO_OWN } from '../commands/meaning.ts';
import { type MenuDeps, publishMenus } from './menus.ts';

/** Names the registry's own part of every menu, in each form that an app has it. */
function registryMark(): string {
  const menus = [nativeMenu(), nativeMenu(NO_OWN, { withoutMessages: true })];
  return createHash('sha256').update(JSON.stringify(menus)).digest('base64url');
}

/** The mark of a round that this process has seen ended: until it is deployed anew there is nothing to do. */
let ended: string | undefined;

/**
 * Publishes the menus of all tenants, where they differ, once after a deployment that changed the registry's own rows (SPEC
 * 12.1). A round that is cut off goes on behind the tenant that it came to; what an app refused is in the log, and in the
 * channel's health.
 * @param until when to stop, ms.
 * @returns how many tenants were looked at.
 */
export async function followDeployment(
  deps: MenuDeps,
  until: number,
  mark = registryMark(),
): Promise<{ tenants: number }> {
  if (ended === mark) return { tenants: 0 };
  const before = await deps.tenants.menuRound();
  let tenants = 0;
  if (before?.mark !== mark || !before.ended) {
    const behind = before?.mark === mark ? before.behind : undefined;
    for (const tenant of (await Array.fromAsync(deps.tenants.list())).sort()) {
      if (behind !== undefined && tenant <= behind) continue;
      if (deps.runtime.now() >= until) return { tenants };
      await publishMenus(deps, tenant);
      tenants += 1;
      await deps.tenants.noteMenuRound({ mark, behind: tenant });
    }
    await deps.tenants.noteMenuRound({ mark, ended: true });
    deps.logger.info('administration.menus.followed', { tenants });
  }
  ended = mark;
  return { tenants };
}
