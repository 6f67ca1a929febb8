import type { ChannelFields } from '../../ports/chatApp.ts';
import { fieldFault, fieldText } from '../shared/fields.ts';

/** Where Bot Framework says which keys it signs with. */
export const OPENID_METADATA_URL = 'https://login.botframework.com/v1/.well-known/openidconfiguration';
/** Where a bot gets its tokens. */
export const LOGIN_ROOT = 'https://login.microsoftonline.com';
/** Every organisation, as `allowedTenants`. */
const ANY_TENANT = '*';

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PASSWORD = /^[\x21-\x7e]{8,200}$/;
const PERSON = /^29:[\w-]{3,200}$/;

/**
 * A Teams channel is an Azure Bot: its app's id, secret and home organisation. `allowedTenants` are further organisations
 * whose people it answers, between commas. Values are never echoed.
 */
export const fields: ChannelFields = {
  apiRoot: 'https://smba.trafficmanager.net/teams',
  addresses: ['openIdMetadataUrl', 'loginRoot'],
  parse(body) {
    const [appId, appTenantId] = [guidOf(body.appId), guidOf(body.appTenantId)];
    const appPassword = fieldText(body.appPassword);
    if (!GUID.test(appId)) return fieldFault('appId', idFault(appId, 'the Microsoft App ID'));
    if (!PASSWORD.test(appPassword) || GUID.test(appPassword))
      return fieldFault('appPassword', passwordFault(appPassword));
    if (!GUID.test(appTenantId)) return fieldFault('appTenantId', idFault(appTenantId, 'the App Tenant ID'));
    const allowed = tenantsOf(fieldText(body.allowedTenants));
    if (allowed === undefined)
      return fieldFault('allowedTenants', `Give ids of organisations between commas, or ${ANY_TENANT}.`);
    const more = {
      allowedTenants: allowed,
      openIdMetadataUrl: fieldText(body.openIdMetadataUrl),
      loginRoot: fieldText(body.loginRoot),
    };
    const given = Object.entries(more).filter(([, value]) => value !== '');
    return { ok: true, secrets: { appPassword }, settings: { appId, appTenantId, ...Object.fromEntries(given) } };
  },
  generate: () => ({}),
  personFault(id) {
    if (PERSON.test(id)) return undefined;
    return 'A person’s id in Teams begins with 29: and is told by Teams alone; let them write to the bot, and see /people.';
  },
};

/** Whether the channel answers people of this organisation: of the app's own, and of those that it is told. */
export function answersTenant(settings: Record<string, string>, tenant: string): boolean {
  const { appTenantId, allowedTenants = '' } = settings;
  return allowedTenants === ANY_TENANT || [appTenantId, ...allowedTenants.split(',')].includes(tenant.toLowerCase());
}

function tenantsOf(text: string): string | undefined {
  if (text === '' || text === ANY_TENANT) return text;
  const ids = text
    .toLowerCase()
    .split(',')
    .map((id) => id.trim());
  return ids.every((id) => GUID.test(id)) ? ids.join(',') : undefined;
}

function guidOf(value: unknown): string {
  return fieldText(value).toLowerCase();
}

function idFault(text: string, name: string): string {
  const where = `${name} of the bot’s page “Configuration” in Azure, such as 11111111-2222-4333-8444-555555555555`;
  return text ? `This is no such id. Give ${where}.` : `It is needed: ${where}.`;
}

function passwordFault(text: string): string {
  const where = 'the Value of a client secret of the app registration’s page “Certificates & secrets”';
  if (GUID.test(text)) return `This is the Secret ID. Give ${where}.`;
  return text ? `This is no client secret. Give ${where}.` : `It is needed: ${where}.`;
}
