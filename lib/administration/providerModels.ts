import type { Context } from 'hono';
import { logFailure } from '../conversations/providerTrouble.ts';
import { type EngineSettings, isProviderFailure, type ListedModel, type ProviderFault } from '../ports/engine.ts';
import { openAll, providerOwner } from '../ports/secrets.ts';
import type { EngineName, ProviderRecord } from '../ports/tenants.ts';
import type { AdministrationDeps } from './deps.ts';
import { badFields, notFound, Problem } from './problem.ts';
import { type Handler, loadTenant, outwardErrors, providerNamed, thingName } from './request.ts';

/** What the provider lists itself, asked now. */
export const getProviderModels: Handler = async (c, deps) => {
  const name = thingName(c);
  const { tenant, providers } = await loadTenant(c, deps);
  const provider = providerNamed(tenant, providers, name);
  const faults = outwardErrors(deps, 'baseURL', provider.baseURL);
  if (faults.length > 0) throw badFields(...faults);
  const models = await asked(deps, provider.engine, await settingsOf(deps, tenant, provider));
  if (!models) throw notFound(`The engine “${provider.engine}” has no list that can be asked for.`);
  return c.json(models);
};

/** A provider's settings, its key opened. */
export async function settingsOf(
  deps: AdministrationDeps,
  tenant: string,
  provider: ProviderRecord,
): Promise<EngineSettings> {
  const { name, settings, baseURL, secrets } = provider;
  const { apiKey } = await openAll(deps.secrets, secrets, { tenant, owner: providerOwner(name) });
  return { settings, ...(apiKey ? { apiKey } : {}), ...(baseURL === undefined ? {} : { baseURL }) };
}

/** Whether the request wants its key checked (`?check=true`). @throws {Problem} for another word. */
export function wantsCheck(c: Context): boolean {
  const check = c.req.query('check') ?? 'false';
  if (check === 'true' || check === 'false') return check === 'true';
  throw badFields({ field: 'check', reason: 'It has to be true or false.' });
}

/** Asks the provider whether it takes this key. @throws {Problem} naming the field that it does not take. */
export async function checkKey(deps: AdministrationDeps, engine: EngineName, settings: EngineSettings): Promise<void> {
  if (engine === 'demo') return;
  const models = await asked(deps, engine, settings);
  if (!models) throw badFields({ field: 'check', reason: `The engine “${engine}” has no way to check a key.` });
}

/** Faults that may be over the next time. */
export const PASSING: Partial<Record<ProviderFault, string>> = {
  'rate-limited': 'The provider takes no more requests right now.',
  overloaded: 'The provider is overloaded right now.',
  unreachable: 'The provider did not answer.',
  failing: 'The provider fails at the moment.',
  silent: 'The provider did not answer in time.',
};
export const OF_THE_KEY: Partial<Record<ProviderFault, string>> = {
  unauthorized: 'The provider refuses this key.',
  billing: 'The provider says that this account has no credit.',
};
const NO_LIST = 'What answers there lists no models.';

async function asked(
  deps: AdministrationDeps,
  engine: EngineName,
  settings: EngineSettings,
): Promise<ListedModel[] | undefined> {
  try {
    return await deps.listModels(engine, settings);
  } catch (error) {
    if (!isProviderFailure(error)) throw error;
    logFailure(deps.logger, 'administration.provider.refused', error, { engine });
    const ofTheKey = OF_THE_KEY[error.fault];
    if (ofTheKey) throw badFields({ field: 'apiKey', reason: ofTheKey });
    const passing = PASSING[error.fault];
    const isWrongAddress = error.fault === 'unreachable' && settings.baseURL !== undefined;
    if (passing && !isWrongAddress) throw new Problem('unavailable', passing);
    throw badFields({ field: 'baseURL', reason: passing ?? NO_LIST });
  }
}
