import { type Reached, readToday, tenantLimit, useToday } from '../conversations/tenantLimits.ts';
import { isProviderFailure } from '../ports/engine.ts';
import { type Finding, fine, note, problem } from '../ports/health.ts';
import type { ProviderRecord, TenantRecord } from '../ports/tenants.ts';
import { channelFindings } from './channelHealth.ts';
import type { AdministrationDeps } from './deps.ts';
import { OF_THE_KEY, PASSING, settingsOf } from './providerModels.ts';
import { type Handler, loadTenant } from './request.ts';
import { toolServerFindings } from './toolServers.ts';

/** A finding, and what it is about. */
export interface Check extends Finding {
  about: string;
}

/**
 * Looks at all that a tenant has and asks those outside about it (SPEC 14.1): its providers, its chat apps; of its tool servers, how
 * it went when they were last asked. Nothing is changed and nobody is written to.
 */
export const getHealth: Handler = async (c, deps) => {
  const tenant = await loadTenant(c, deps);
  const [own, providers, channels, toolServers, today] = await Promise.all([
    ownFindings(deps, tenant),
    Promise.all(tenant.providers.map((provider) => providerCheck(deps, tenant, provider))),
    Promise.all(tenant.channels.map((channel) => channelFindings(deps, tenant, channel))),
    Promise.all(tenant.toolServers.map((server) => toolServerFindings(deps, tenant.tenant, server))),
    readToday(deps, tenant.tenant),
  ]);
  const checks: Check[] = [
    ...about('the tenant', own),
    ...providers,
    ...tenant.channels.flatMap(({ name, app }, n) => about(`channel ${name} (${app})`, channels[n] ?? [])),
    ...tenant.toolServers.flatMap(({ name }, n) => about(`tool server ${name}`, toolServers[n] ?? [])),
  ];
  return c.json({ tenant: tenant.tenant, checks, today });
};

function about(what: string, findings: readonly Finding[]): Check[] {
  return findings.map((finding) => ({ about: what, ...finding }));
}

async function ownFindings(deps: AdministrationDeps, record: TenantRecord): Promise<Finding[]> {
  const { tenant, providers, channels, settings } = record;
  const findings = [modelFinding(deps, record)];
  const now = deps.runtime.now();
  const reached = tenantLimit(settings, await useToday(deps, tenant, settings), now);
  if (reached) findings.push(limitFinding(reached));
  if (providers.length === 0) {
    const todo = `For a model: npx conch put provider claude --tenant ${tenant} --engine anthropic --api-key -`;
    findings.push(note('No provider is set up, so that the built-in demo answers.', todo));
  }
  if (channels.length === 0) {
    const todo = `Connect a bot: npx conch put channel helper --tenant ${tenant} --app telegram --token -`;
    findings.push(note('No channel is connected.', todo));
  }
  return findings;
}

/** Past a limit of a day; or one of 0, which never opens. */
function limitFinding({ limit, allowed, opensAt }: Reached): Finding {
  const change = '“npx conch put settings” changes the limit.';
  if (opensAt === undefined) return note(`No message is taken: ${limit} is ${allowed}.`, `It stays so; ${change}`);
  return note(`Today’s limit is reached: ${limit} ${allowed}.`, `Messages are taken again tomorrow (UTC); ${change}`);
}

function modelFinding(deps: AdministrationDeps, { tenant, providers, settings }: TenantRecord): Finding {
  const resolved = deps.resolveModel(providers, {}, settings);
  if (resolved.ok) return fine(`New chats are answered by ${resolved.name}.`);
  return problem(resolved.reason, `Choose one: npx conch put settings --tenant ${tenant} --model PROVIDER/MODEL`);
}

async function providerCheck(deps: AdministrationDeps, record: TenantRecord, provider: ProviderRecord): Promise<Check> {
  const resolved = deps.resolveModel(record.providers, {}, record.settings);
  const model = resolved.ok && resolved.provider.name === provider.name ? resolved.model : undefined;
  return {
    about: `provider ${provider.name} (${provider.engine})`,
    ...(await providerFinding(deps, record, provider, model)),
  };
}

/** Whether it takes the tenant's key, by asking for its models: that costs nothing. @param model used by new chats. */
async function providerFinding(
  deps: AdministrationDeps,
  { tenant }: TenantRecord,
  provider: ProviderRecord,
  model: string | undefined,
): Promise<Finding> {
  const { name, engine, baseURL } = provider;
  if (engine === 'demo') return fine('The built-in demo needs no key.');
  const address = baseURL === undefined ? '' : ` --base-url ${baseURL}`;
  const again = `Put it again: npx conch put provider ${name} --tenant ${tenant} --engine ${engine}${address} --api-key -`;
  try {
    const models = await deps.listModels(engine, await settingsOf(deps, tenant, provider));
    if (!models)
      return note(`Whether the key of “${engine}” works cannot be asked for nothing.`, 'Write to a bot to see.');
    const isListed = model === undefined || models.length === 0 || models.some(({ id }) => id.startsWith(model));
    if (isListed) return fine('It takes the key.');
    const some = models.slice(0, 8).map(({ id }) => id);
    return problem(`It takes the key, and does not know the model “${model}”.`, `It has: ${some.join(', ')}.`);
  } catch (error) {
    if (!isProviderFailure(error)) {
      deps.logger.error('administration.health.failed', error, { tenant, provider: name });
      return problem('Its key cannot be opened.', again);
    }
    const { fault } = error;
    const ofTheKey = OF_THE_KEY[fault];
    if (ofTheKey) return problem(ofTheKey, again);
    const passing = PASSING[fault];
    if (fault === 'unreachable')
      return problem('Nobody answers at its address.', `Check the address, or try again. ${again}`);
    if (passing) return note(passing, 'Try again in a minute.');
    return note('It does not list its models, so that the key cannot be checked.', 'Write to a bot to see.');
  }
}
