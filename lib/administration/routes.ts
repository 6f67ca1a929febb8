import { deleteChannel, getChannel, listChannels, putChannel } from './channels.ts';
import { deleteCommand, getCommand, listCommands, putCommand } from './commands.ts';
import { exportPerson, exportTenant } from './export.ts';
import { getHealth } from './health.ts';
import { deleteInstallation, listInstallations } from './installations.ts';
import { getManifest } from './manifest.ts';
import { deletePerson, deletePersonData, getPerson, listPeople, putPerson } from './people.ts';
import { deletePlace, listEvents, listPlaces } from './places.ts';
import { getProviderModels } from './providerModels.ts';
import { deleteProvider, getProvider, listProviders, putProvider } from './providers.ts';
import { pushCommands, pushSkills } from './push.ts';
import type { Handler } from './request.ts';
import { deleteSettings, getSettings, putSettings } from './settings.ts';
import { deleteSkill, getSkill, listSkills, putSkill } from './skills.ts';
import { deleteTenant, getTenant, getUsage, listTenants, putTenant } from './tenants.ts';
import { deleteToolServer, getToolServer, listToolServers, putToolServer, refreshToolServer } from './toolServers.ts';

export type Method = 'GET' | 'PUT' | 'DELETE' | 'POST';

const TENANT = '/v1/tenants/:tenant';
const CHANNEL = `${TENANT}/channels/:name`;

/** Every address of the API, with what each method does there. */
export const ROUTES: Record<string, Partial<Record<Method, Handler>>> = {
  '/v1/tenants': { GET: listTenants },
  [TENANT]: { GET: getTenant, PUT: putTenant, DELETE: deleteTenant },
  [`${TENANT}/export`]: { GET: exportTenant },
  [`${TENANT}/channels`]: { GET: listChannels },
  [CHANNEL]: { GET: getChannel, PUT: putChannel, DELETE: deleteChannel },
  [`${CHANNEL}/manifest`]: { GET: getManifest },
  [`${CHANNEL}/installations`]: { GET: listInstallations },
  [`${CHANNEL}/installations/:workspace`]: { DELETE: deleteInstallation },
  [`${CHANNEL}/people`]: { GET: listPeople },
  [`${CHANNEL}/people/:person`]: { GET: getPerson, PUT: putPerson, DELETE: deletePerson },
  [`${CHANNEL}/people/:person/data`]: { GET: exportPerson, DELETE: deletePersonData },
  [`${TENANT}/providers`]: { GET: listProviders },
  [`${TENANT}/providers/:name`]: { GET: getProvider, PUT: putProvider, DELETE: deleteProvider },
  [`${TENANT}/providers/:name/models`]: { GET: getProviderModels },
  [`${TENANT}/settings`]: { GET: getSettings, PUT: putSettings, DELETE: deleteSettings },
  [`${TENANT}/health`]: { GET: getHealth },
  [`${TENANT}/usage`]: { GET: getUsage },
  [`${TENANT}/commands`]: { GET: listCommands, PUT: pushCommands },
  [`${TENANT}/commands/:name`]: { GET: getCommand, PUT: putCommand, DELETE: deleteCommand },
  [`${TENANT}/skills`]: { GET: listSkills, PUT: pushSkills },
  [`${TENANT}/skills/:name`]: { GET: getSkill, PUT: putSkill, DELETE: deleteSkill },
  [`${TENANT}/tool-servers`]: { GET: listToolServers },
  [`${TENANT}/tool-servers/:name`]: { GET: getToolServer, PUT: putToolServer, DELETE: deleteToolServer },
  [`${TENANT}/tool-servers/:name/refresh`]: { POST: refreshToolServer },
  [`${TENANT}/places`]: { GET: listPlaces },
  [`${TENANT}/places/:place`]: { DELETE: deletePlace },
  [`${TENANT}/places/:place/events`]: { GET: listEvents },
};
