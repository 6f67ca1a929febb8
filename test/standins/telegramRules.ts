/**
 * What the Bot API refuses of a message or a menu, and with which words. Each check gives the description behind
 * `Bad Request: `, or undefined. Texts are counted in code points, entities in UTF-16 units.
 */

type Params = Record<string, unknown>;

export interface Entity {
  type: string;
  offset: number;
  length: number;
  language?: string;
  url?: string;
}

const TEXT_LIMIT = 4096;
const INPUT_LIMIT_BYTES = 32 * 1024;
const STYLES = new Set(['bold', 'italic', 'underline', 'strikethrough', 'spoiler']);
const CODES = new Set(['code', 'pre']);
const QUOTES = new Set(['blockquote', 'expandable_blockquote']);
const TYPES = new Set([...STYLES, ...CODES, ...QUOTES, 'text_link']);

/** The first refusal among the checks. */
export function firstOf(...checks: (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const refusal = check();
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

export function refusedText(params: Params): string | undefined {
  const { text } = params;
  if (typeof text !== 'string') return 'message text is empty';
  if (!text.isWellFormed()) return 'strings must be encoded in UTF-8';
  if (Buffer.byteLength(text) > INPUT_LIMIT_BYTES) return 'text is too long';
  if (/^[\s\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]*$/u.test(text)) return 'text must be non-empty';
  if ([...text].length > TEXT_LIMIT) return 'message is too long';
  if (params.parse_mode !== undefined) return 'the stand-in knows no parse_mode, send entities';
  const refusal = refusedEntities(text, params.entities);
  return refusal === undefined ? undefined : `can't parse entities: ${refusal}`;
}

function refusedEntities(text: string, entities: unknown): string | undefined {
  if (entities === undefined) return undefined;
  if (!Array.isArray(entities)) return 'expected an array';
  for (const [index, entity] of entities.entries()) {
    const refusal =
      refusedEntity(text, entity) ??
      entities
        .slice(0, index)
        .map((one) => clash(one, entity))
        .find(Boolean);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function refusedEntity(text: string, entity: Entity): string | undefined {
  const { type, offset, length, url } = entity;
  if (!TYPES.has(type)) return `unsupported entity type ${type}`;
  if (!Number.isInteger(offset) || !Number.isInteger(length) || offset < 0) return 'entity offset is no offset';
  if (length <= 0) return 'entity is empty';
  if (offset + length > text.length) return `entity ends after the end of the text at UTF-16 offset ${offset + length}`;
  if (cutsPair(text, offset) || cutsPair(text, offset + length)) return 'entity begins or ends in a UTF-16 pair';
  if (type === 'text_link' && !isLink(url)) return 'wrong HTTP URL';
  return undefined;
}

function cutsPair(text: string, offset: number): boolean {
  return /^[\udc00-\udfff]/.test(text.slice(offset)) && /[\ud800-\udbff]$/.test(text.slice(0, offset));
}

/** Stricter than Telegram, which takes `tg:` links too: those would ping people. */
function isLink(url: unknown): boolean {
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  return parsed !== null && /^https?:$/.test(parsed.protocol);
}

/** Two entities with a character in common: one contains the other, and their kinds may do so. */
function clash(a: Entity, b: Entity): string | undefined {
  const [aEnd, bEnd] = [a.offset + a.length, b.offset + b.length];
  if (aEnd <= b.offset || bEnd <= a.offset) return undefined;
  const isAOuter = a.offset <= b.offset && aEnd >= bEnd;
  const isBOuter = b.offset <= a.offset && bEnd >= aEnd;
  if (!isAOuter && !isBOuter) return 'entities overlap';
  if (a.type === b.type && QUOTES.has(a.type)) return 'quotations are nested';
  if (QUOTES.has(a.type) || QUOTES.has(b.type)) return undefined;
  if (CODES.has(a.type) || CODES.has(b.type)) return 'code is nested with something else';
  return STYLES.has(a.type) || STYLES.has(b.type) ? undefined : 'links are nested';
}

export function refusedKeyboard(markup: unknown): string | undefined {
  if (markup === undefined) return undefined;
  const rows = (markup as { inline_keyboard?: unknown }).inline_keyboard;
  if (!Array.isArray(rows)) return 'object expected as reply markup';
  for (const button of rows.flat()) {
    const { text, callback_data: data, style = 'primary' } = button as Params;
    if (typeof text !== 'string' || !text.trim()) return 'text buttons are unallowed in the inline keyboard';
    if (typeof data !== 'string' || !data) return 'BUTTON_TYPE_INVALID';
    if (!['primary', 'success', 'danger'].includes(String(style))) return 'BUTTON_STYLE_INVALID';
    if (Buffer.byteLength(data) > 64) return 'BUTTON_DATA_INVALID';
  }
  return rows.flat().length > 100 ? 'reply markup is too long' : undefined;
}

const SCOPES = new Set(['default', 'all_private_chats', 'all_group_chats', 'all_chat_administrators']);

export function refusedList({ scope, language_code: language = '' }: Params): string | undefined {
  if (!SCOPES.has(String((scope as Params | undefined)?.type ?? 'default'))) return 'unsupported scope type';
  return /^([a-z]{2})?$/.test(String(language)) ? undefined : 'BOT_LANG_CODE_INVALID';
}

/** The name of the list that a call is about. */
export function listOf({ scope, language_code: language }: Params): string {
  const type = (scope as Params | undefined)?.type ?? 'default';
  return language ? `${type} ${language}` : String(type);
}

export function refusedMenu(params: Params): string | undefined {
  const { commands } = params;
  const refused = refusedList(params);
  if (refused !== undefined) return refused;
  if (!Array.isArray(commands)) return 'expected an array of commands';
  if (commands.length > 100) return 'BOT_COMMANDS_TOO_MUCH';
  const names = commands.map((one: Params) => one.command);
  if (!names.every((name) => typeof name === 'string' && /^[a-z0-9_]{1,32}$/.test(name))) return 'BOT_COMMAND_INVALID';
  if (new Set(names).size < names.length) return 'BOT_COMMAND_DUPLICATE';
  const isDescribed = ({ description }: Params) =>
    typeof description === 'string' && description.trim() !== '' && [...description].length <= 256;
  return commands.every(isDescribed) ? undefined : 'BOT_COMMAND_DESCRIPTION_INVALID';
}

const UPDATE_KINDS = new Set([
  'message',
  'edited_message',
  'channel_post',
  'edited_channel_post',
  'callback_query',
  'my_chat_member',
  'chat_member',
  'inline_query',
]);

export function refusedWebhook(params: Params): string | undefined {
  const { url, secret_token: secret, max_connections: connections = 40, allowed_updates: kinds = [] } = params;
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return 'bad webhook: invalid URL';
  if (secret !== undefined && !/^[A-Za-z0-9_-]{1,256}$/.test(String(secret))) {
    return 'secret token contains unallowed characters';
  }
  if (typeof connections !== 'number' || connections < 1 || connections > 100) return 'max_connections is out of range';
  const isKnown = Array.isArray(kinds) && kinds.every((kind) => UPDATE_KINDS.has(kind));
  return isKnown ? undefined : 'unknown update kind';
}
