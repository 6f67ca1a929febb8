import type { Workspaces } from '../lib/conversations/deps.ts';
import type { Installations } from '../lib/ports/installations.ts';
import type { SecretBox } from '../lib/ports/secrets.ts';
import { installationOpener } from '../lib/tenants/installations.ts';
import { logger, runtime } from './runtime.ts';

/** The workspaces that apps are installed in, over a store. */
export function workspacesOf({ installations }: { installations: Installations }, secrets: SecretBox): Workspaces {
  return { installations, open: installationOpener({ installations, secrets, runtime, logger }) };
}
