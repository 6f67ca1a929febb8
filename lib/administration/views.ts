import type { InstallationRecord } from '../ports/installations.ts';
import type { ChannelRecord, PersonRecord, ProviderRecord } from '../ports/tenants.ts';

/** The path of a channel's webhook. */
export function webhookPath({ app, id }: Pick<ChannelRecord, 'app' | 'id'>): string {
  return `/${app}/${id}`;
}

/** A channel as the API shows it: of its secrets, which ones are set. */
export function channelView(channel: ChannelRecord) {
  const { id, name, app, access, settings, secrets, apiRoot, bot, owner, claim, refused } = channel;
  return {
    ...{ id, name, app, access, webhookPath: webhookPath(channel), settings, secrets: Object.keys(secrets) },
    ...(apiRoot === undefined ? {} : { apiRoot }),
    bot: bot ?? {},
    ...(owner === undefined ? {} : { owner }),
    ...(claim && claim.usedBy === undefined ? { claimExpiresAt: claim.expiresAt } : {}),
    ...(refused === undefined ? {} : { refused }),
  };
}

/** An installation as the API shows it. */
export function installationView({ workspace, name, bot, installedAt, expiresAt, refused }: InstallationRecord) {
  return {
    workspace,
    ...(name === undefined ? {} : { name }),
    ...{ bot, installedAt },
    ...(expiresAt === undefined ? {} : { tokenExpiresAt: expiresAt }),
    ...(refused === undefined ? {} : { refused }),
  };
}

/** A person as the API shows them. */
export function personView({ id, name, status }: PersonRecord) {
  return { id, ...(name === undefined ? {} : { name }), status };
}

/**
 * A provider as the API shows it: of its secrets, which ones are set.
 * @param byDefault the provider that answers where nobody has picked a model (SPEC 14.4).
 */
export function providerView(
  { name, engine, baseURL, models, settings, secrets }: ProviderRecord,
  byDefault: string | undefined,
) {
  return {
    ...{ name, default: name === byDefault, engine, models, settings, secrets: Object.keys(secrets) },
    ...(baseURL === undefined ? {} : { baseURL }),
  };
}
