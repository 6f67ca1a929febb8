import type { ChatApp } from '../../ports/chatApp.ts';
import { fine, note } from '../../ports/health.ts';
import { addressFinding, putAgain, refused } from '../shared/checks.ts';
import { identify } from './connect.ts';

const FIELDS = '--app-id ID --app-tenant-id ID --app-password -';

/**
 * Asks Microsoft for a token of the bot. Where Teams delivers is set in Azure, which tells it to nobody but its owner, so
 * the address to compare is said.
 */
export const check: ChatApp['check'] = async (channel, { webhookUrl }) => {
  const who = await identify(channel);
  if (!who.ok) {
    return [refused(who, `Copy all three from the bot’s page in portal.azure.com: ${putAgain(channel, FIELDS)}`)];
  }
  const known = fine('Microsoft knows the app, its secret and its organisation.');
  const address = addressFinding(webhookUrl, 'Teams');
  if (webhookUrl === undefined) return [known, address];
  const where = `If messages are not answered: put ${webhookUrl} into “Messaging endpoint” on “Configuration” of the bot’s page in Azure.`;
  return [known, address, note('Azure does not tell where Teams delivers.', where)];
};
