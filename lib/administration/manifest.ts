import type { AppName } from '../ports/tenants.ts';
import { menuOf } from './menus.ts';
import { badFields, notFound } from './problem.ts';
import { type Handler, loadTenant, thingName } from './request.ts';

/**
 * What the app's registration is made from. Before the channel is connected it is the one to begin with, for the app of
 * the query; afterwards it names the channel's webhook.
 */
export const getManifest: Handler = async (c, deps) => {
  const name = thingName(c);
  const tenant = await loadTenant(c, deps);
  const { channels } = tenant;
  const channel = channels.find((one) => one.name === name);
  const wanted = channel?.app ?? c.req.query('app');
  if (wanted === undefined)
    throw badFields({
      field: 'app',
      reason: 'There is no channel of this name yet; say for which app it is to be, such as slack.',
    });
  const app = Object.hasOwn(deps.apps, wanted) ? deps.apps[wanted as AppName] : undefined;
  if (!app?.manifest) throw notFound('This app has no manifest.');
  const webhookUrl = channel && deps.webhookUrl(app.name, channel.id);
  const menu = menuOf(app, tenant);
  const manifest = app.manifest({ name, webhookUrl, channel, menu, now: deps.runtime.now() });
  if (!manifest) throw notFound('This app has a manifest once its channel is connected: put the channel first.');
  return c.json(manifest);
};
