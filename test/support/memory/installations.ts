import type { InstallationRecord, InstallationScope, Installations } from '../../../lib/ports/installations.ts';

const keyOf = ({ tenant, channelId }: InstallationScope) => JSON.stringify([tenant, channelId]);

/** Installations in memory. @param raised is called where the tenant's version is raised. */
export class MemoryInstallations implements Installations {
  readonly #scopes = new Map<string, Map<string, InstallationRecord>>();
  readonly #raised: (tenant: string) => Promise<void>;

  constructor(raised: (tenant: string) => Promise<void> = async () => undefined) {
    this.#raised = raised;
  }

  #of(scope: InstallationScope): Map<string, InstallationRecord> {
    const found = this.#scopes.get(keyOf(scope)) ?? new Map<string, InstallationRecord>();
    this.#scopes.set(keyOf(scope), found);
    return found;
  }

  async get(scope: InstallationScope, workspace: string) {
    return structuredClone(this.#of(scope).get(workspace));
  }

  async put(scope: InstallationScope, installation: InstallationRecord): Promise<void> {
    this.#of(scope).set(installation.workspace, structuredClone(installation));
    await this.#raised(scope.tenant);
  }

  async replace(scope: InstallationScope, installation: InstallationRecord, expected: string): Promise<boolean> {
    const installations = this.#of(scope);
    if (installations.get(installation.workspace)?.mark !== expected) return false;
    installations.set(installation.workspace, structuredClone(installation));
    return true;
  }

  async remove(scope: InstallationScope, workspace: string, expected: string): Promise<boolean> {
    const isThere = this.#of(scope).get(workspace)?.mark === expected;
    if (isThere) this.#of(scope).delete(workspace);
    await this.#raised(scope.tenant);
    return isThere;
  }

  async *list(scope: InstallationScope): AsyncGenerator<InstallationRecord> {
    yield* structuredClone([...this.#of(scope).values()]);
  }

  async erase(scope: InstallationScope): Promise<void> {
    this.#of(scope).clear();
    await this.#raised(scope.tenant);
  }
}
