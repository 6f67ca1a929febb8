import type { AppName } from '../ports/tenants.ts';
import { badFields, notFound } from './problem.ts';
import { type Handler, loadTenant, thingName } from './request.ts';

/**
 * What the app's registration is made from. Before the channel is connected it is the one to begin with, for the app of
 * the query; afterwards it names the channel's webhook.
 */
export const getManifest: Handler = async (c, deps) => {
  const name = thingName(c);
  const { channels } = await loadTenant(c, deps);
  const channel = channels.find((one) => one.name === name);
  const wanted = channel?.app ?? c.req.query('app');
  if (wanted === undefined)
    throw badFields({ field: 'app', reason: 'Say for which app, as long as there is no channel.' });
  const app = Object.hasOwn(deps.apps, wanted) ? deps.apps[wanted as AppName] : undefined;
  if (!app?.manifest) throw notFound('This app has no manifest.');
  const webhookUrl = channel && deps.webhookUrl(app.name, channel.id);
  return c.json(app.manifest({ name, webhookUrl, ...(channel && { settings: channel.settings }) }));
};
