import { generateKeyPairSync, sign } from 'node:crypto';
import type { Params } from './discordRules.ts';

/** Interactions as Discord sends them. */

export interface Somebody {
  id: string;
  username: string;
  global_name: string;
}

export const APPLICATION = '100000000000000001';
export const BOT = '100000000000000001';
export const GUILD = '200000000000000001';

const FIRST = BigInt(Date.UTC(2026, 10, 1) - 1_420_070_400_000) << 22n;
let made = 0n;

/** A new id, as old as the call. */
export function snowflake(at = Date.now()): string {
  made += 1n;
  return String((BigInt(at - 1_420_070_400_000) << 22n) + made);
}

/** An id that names a person or a place. */
export function placeId(): string {
  made += 1n;
  return String(FIRST + made);
}

export function somebody(name = 'ana'): Somebody {
  return { id: placeId(), username: name, global_name: name };
}

export interface Place {
  channel: string;
  /** Absent: the bot's private chat with the person. */
  guild?: string;
}

function base(type: number, who: Somebody, { channel, guild }: Place): Params {
  const user = { ...who, discriminator: '0', avatar: null };
  return {
    id: snowflake(),
    application_id: APPLICATION,
    type,
    token: `token-${snowflake()}`,
    version: 1,
    channel_id: channel,
    channel: { id: channel, type: guild ? 0 : 1 },
    context: guild ? 0 : 1,
    locale: 'en-US',
    entitlements: [],
    authorizing_integration_owners: guild ? { '0': guild } : { '0': '0', '1': who.id },
    ...(guild ? { guild_id: guild, guild_locale: 'en-US', member: { user, roles: [], permissions: '0' } } : { user }),
  };
}

/** A chosen command; `text` fills its option. */
export function command(name: string, who: Somebody, place: Place, text?: string): Params {
  const options = text === undefined ? {} : { options: [{ name: 'text', type: 3, value: text }] };
  return { ...base(2, who, place), data: { id: placeId(), name, type: 1, ...options } };
}

export function autocomplete(name: string, who: Somebody, place: Place, typed: string): Params {
  const option = { name: 'value', type: 3, value: typed, focused: true };
  return { ...base(4, who, place), data: { id: placeId(), name, type: 1, options: [option] } };
}

/** A command in the menu of a message. */
export function aboutMessage(name: string, who: Somebody, place: Place, message: Params): Params {
  const id = String(message.id);
  const resolved = { messages: { [id]: message } };
  return { ...base(2, who, place), data: { id: placeId(), name, type: 3, target_id: id, resolved } };
}

export function press(customId: string, who: Somebody, place: Place, message: Params): Params {
  return { ...base(3, who, place), message, data: { custom_id: customId, component_type: 2 } };
}

export function form(customId: string, who: Somebody, place: Place, text: string): Params {
  const component = { type: 4, id: 2, custom_id: 'text', value: text };
  return { ...base(5, who, place), data: { custom_id: customId, components: [{ type: 18, id: 1, component }] } };
}

/** Signs as Discord does. */
export class Signer {
  readonly #keys = generateKeyPairSync('ed25519');

  /** For a channel's `publicKey`. */
  get publicKey(): string {
    const { x = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    return Buffer.from(x, 'base64url').toString('hex');
  }

  headers(body: Uint8Array, seconds = Math.floor(Date.now() / 1000)): Record<string, string> {
    const timestamp = String(seconds);
    const signature = sign(null, Buffer.concat([Buffer.from(timestamp), body]), this.#keys.privateKey);
    return { 'x-signature-ed25519': signature.toString('hex'), 'x-signature-timestamp': timestamp };
  }
}
