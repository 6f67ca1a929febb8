import type { Channel, ChannelFields } from '../../ports/chatApp.ts';

/** An address that a path is put behind. */
export function withoutEndSlash(address: string): string {
  return address.replace(/\/+$/, '');
}

/** Where the channel's API is: its own `apiRoot`, else the app's. Without a slash at its end. */
export function apiRootOf({ apiRoot }: Pick<Channel, 'apiRoot'>, fields: Pick<ChannelFields, 'apiRoot'>): string {
  return withoutEndSlash(apiRoot ?? fields.apiRoot ?? '');
}
