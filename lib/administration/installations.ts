import { notFound } from './problem.ts';
import { type Handler, loadChannel } from './request.ts';
import { installationView } from './views.ts';

/** The workspaces that a channel's app is installed in. */
export const listInstallations: Handler = async (c, deps) => {
  const { tenant, channel } = await loadChannel(c, deps);
  const scope = { tenant: tenant.tenant, channelId: channel.id };
  return c.json(await Array.fromAsync(deps.installations.list(scope), installationView));
};

/** Forgets an installation: nobody there is answered any more. At the app it stays until it is removed there. */
export const deleteInstallation: Handler = async (c, deps) => {
  const { tenant, channel } = await loadChannel(c, deps);
  const scope = { tenant: tenant.tenant, channelId: channel.id };
  const workspace = c.req.param('workspace') ?? '';
  const found = workspace === '' ? undefined : await deps.installations.get(scope, workspace);
  if (!found) throw notFound(`The channel is not installed in a workspace with the id “${workspace}”.`);
  if (!(await deps.installations.remove(scope, workspace, found.mark))) {
    throw notFound('It was changed at this moment. Look again.');
  }
  deps.logger.info('administration.installation.deleted', { tenant: tenant.tenant, channel: channel.name });
  return c.body(null, 204);
};
