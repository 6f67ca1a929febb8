import { webhookPath } from '../lib/administration/views.ts';
import type { AppName } from '../lib/ports/tenants.ts';
import type { Settings } from './settings.ts';

/** Where an app reaches a channel's webhook: at the app's own address, else at the public one, else nowhere. */
export function webhookUrls(settings: Pick<Settings, 'CONCH_PUBLIC_URL' | 'CONCH_WEBHOOK_URLS'>) {
  return (app: AppName, channelId: string): string | undefined => {
    const root = settings.CONCH_WEBHOOK_URLS?.[app] ?? settings.CONCH_PUBLIC_URL;
    return root && root.replace(/\/+$/u, '') + webhookPath({ app, id: channelId });
  };
}
