import * as z from 'zod';
import { ACCESS } from '../domain/tenancy.ts';
import type { ChatApp } from '../ports/chatApp.ts';
import type { AppName } from '../ports/tenants.ts';
import { connect, type WantedChannel } from './connect.ts';
import type { AdministrationDeps } from './deps.ts';
import { disconnect } from './disconnect.ts';
import { personFault } from './people.ts';
import { badFields, type FieldError } from './problem.ts';
import {
  type Handler,
  loadChannel,
  loadTenant,
  outwardErrors,
  parse,
  readBody,
  thingName,
  unknownFields,
  webAddress,
} from './request.ts';
import { channelView } from './views.ts';

/** The fields that every channel has. The others are the chat app's own. */
const commonSchema = z.object({
  access: z.enum(ACCESS).default('owner'),
  apiRoot: z.string().optional(),
  owner: z.string().optional(),
  reclaim: z.boolean().default(false),
});

export const listChannels: Handler = async (c, deps) => c.json((await loadTenant(c, deps)).channels.map(channelView));

export const getChannel: Handler = async (c, deps) => c.json(channelView((await loadChannel(c, deps)).channel));

/** Connects a channel, or puts new fields in place of the ones before. */
export const putChannel: Handler = async (c, deps) => {
  const name = thingName(c);
  const wanted = readWanted(deps, await readBody(c));
  const { tenant, channels } = await loadTenant(c, deps);
  const isNew = !channels.some((channel) => channel.name === name);
  return c.json(await connect(deps, { tenant, name }, wanted), isNew ? 201 : 200);
};

export const deleteChannel: Handler = async (c, deps) => {
  const { tenant, channel } = await loadChannel(c, deps);
  await disconnect(deps, tenant.tenant, channel);
  deps.logger.info('administration.channel.deleted', { tenant: tenant.tenant, channel: channel.name });
  return c.body(null, 204);
};

function readWanted(deps: AdministrationDeps, body: Record<string, unknown>): WantedChannel {
  const { app: name, access: _a, apiRoot: _r, owner: _o, reclaim: _c, ...own } = body;
  const app = appNamed(deps, name);
  const { access, apiRoot, owner, reclaim } = parse(commonSchema, body);
  const fields = app.fields.parse(own);
  if (!fields.ok) throw badFields({ field: fields.field, reason: fields.reason });
  const { secrets, settings } = fields;
  const errors = [
    ...unknownFields(Object.keys(own).filter((key) => !Object.hasOwn(secrets, key) && !Object.hasOwn(settings, key))),
    ...apiRootErrors(deps, 'apiRoot', apiRoot),
    ...(app.fields.addresses ?? []).flatMap((field) => apiRootErrors(deps, field, settings[field])),
    ...outwardErrors(deps, 'callbackUrl', settings.callbackUrl),
    ...ownerErrors(app, owner),
  ];
  if (errors.length > 0) throw badFields(...errors);
  return {
    ...{ app, access, reclaim, secrets, settings },
    ...(apiRoot === undefined ? {} : { apiRoot }),
    ...(owner === undefined ? {} : { owner }),
  };
}

function appNamed({ apps }: AdministrationDeps, name: unknown): ChatApp {
  const app = typeof name === 'string' && Object.hasOwn(apps, name) ? apps[name as AppName] : undefined;
  if (app) return app;
  throw badFields({ field: 'app', reason: `It has to be one of: ${Object.keys(apps).join(', ')}.` });
}

/** The errors of an address that Conch would call in the stead of the app's own. */
function apiRootErrors(deps: AdministrationDeps, field: string, address: string | undefined): FieldError[] {
  if (address === undefined) return [];
  const error = (reason: string) => [{ field, reason }];
  const url = webAddress(address);
  if (!url) return error('It has to be an http or https address without a password in it.');
  return deps.apiRootAllowed(url) ? [] : error('This address is not allowed here.');
}

function ownerErrors(app: ChatApp, owner: string | undefined): FieldError[] {
  const reason = owner === undefined ? undefined : personFault(app, owner);
  return reason === undefined ? [] : [{ field: 'owner', reason }];
}
