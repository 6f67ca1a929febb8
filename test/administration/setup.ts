import { createHash, randomBytes } from 'node:crypto';
import { type AdministrationDeps, createAdministration } from '../../lib/administration/index.ts';
import { chatApps } from '../../lib/channels/index.ts';
import type { LogFields } from '../../lib/ports/runtime.ts';
import { listModelsOf } from '../../lib/providers/modelList.ts';
import { resolveModel } from '../../lib/providers/models.ts';
import { outwardGuard } from '../../lib/tenants/apiRoots.ts';
import { toolRefresher } from '../../lib/tools/refresh.ts';
import { createStores } from '../support/stores.ts';

export const ADMIN_TOKEN = 'test-admin-token-4711';
export const PUBLIC_URL = 'https://conch.example';

interface Answer {
  status: number;
  headers: Headers;
  /** The body as text, and read as JSON. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of many forms.
  body: any;
}

/** An administration over fresh stores, with what it logs and a way to call it. Call `close` at the end. */
export async function createTestAdministration(overrides: Partial<AdministrationDeps> = {}) {
  const clock = { ms: Date.now() };
  const stores = await createStores(() => clock.ms);
  const logged: unknown[] = [];
  const write = (what: string, ...fields: (LogFields | undefined | unknown)[]) => void logged.push([what, ...fields]);
  const deps: AdministrationDeps = {
    tenants: stores.tenants,
    secrets: stores.secrets,
    log: stores.log,
    usage: stores.usage,
    actions: stores.actions,
    textReplies: stores.textReplies,
    installations: stores.installations,
    apps: chatApps(stores.textReplies),
    resolveModel,
    listModels: listModelsOf,
    runtime: { now: () => clock.ms, newId: () => randomBytes(12).toString('base64url') },
    logger: { info: write, warn: write, error: write },
    webhookUrl: (app, id) => `${PUBLIC_URL}/${app}/${id}`,
    adminTokenHash: createHash('sha256').update(ADMIN_TOKEN).digest('hex'),
    apiRootAllowed: () => true,
    outwardFault: () => undefined,
    toolServerFault: () => undefined,
    refreshTools: (...args) =>
      toolRefresher({
        ...{ tenants: stores.tenants, secrets: stores.secrets, guard: outwardGuard('*') },
        ...{ runtime: { now: () => clock.ms }, logger: { info: write, warn: write, error: write } },
      })(...args),
    ...overrides,
  };
  const app = createAdministration(deps);
  const raw = async (method: string, path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await app.request(path, { method, ...init });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text ? JSON.parse(text) : undefined };
  };
  const call = (method: string, path: string, body?: unknown) =>
    raw(method, path, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) }),
    });
  return { app, deps, stores, clock, logged, raw, call, close: () => stores.close() };
}

export type TestAdministration = Awaited<ReturnType<typeof createTestAdministration>>;

/** The fields that an answer says are wrong. */
export function fieldsOf(answer: Answer): string[] {
  return (answer.body.errors ?? []).map((error: { field: string }) => error.field);
}
