import { createHash } from 'node:crypto';
import { ConchError } from '../domain/errors.ts';
import {
  TEXT_REPLIES_KNOWN,
  TEXT_REPLY_LIFE_MS,
  type TextChat,
  type TextReplies,
  type TextReply,
  type TextReplyEraser,
} from '../ports/textReplies.ts';
import { conditional, type Item } from './calls.ts';
import {
  deleteItems,
  json,
  keyOf,
  number,
  partition,
  readJson,
  readNumber,
  readText,
  text,
  ttlSeconds,
} from './items.ts';
import { MAX_SEQ, repliesKey, seqKey } from './keys.ts';
import type { Input } from './operations.ts';
import type { Table } from './table.ts';

const HASH_CHARS = 12;
/** How often an append tries again behind a reply that came first. */
const MAX_ATTEMPTS = 100;
const MAX_WAIT_MS = 50;

/** The newest reply's number and id, and hashes of the ids of the newest replies, ending with its own. */
interface Head {
  seq: number;
  id?: string;
  known: string;
}

const hashOf = (id: string) => createHash('sha256').update(id).digest('base64url').slice(0, HASH_CHARS);

/** The number of the reply with this id, or undefined. Numbers have no gaps, so the place among the hashes tells it. */
function seqOf(head: Head, id: string): number | undefined {
  const wanted = hashOf(id);
  for (let i = 0; i < head.known.length; i += HASH_CHARS) {
    if (head.known.startsWith(wanted, i)) return head.seq - (head.known.length - i) / HASH_CHARS + 1;
  }
  return undefined;
}

function toReply(item: Item): TextReply {
  return {
    seq: Number(readText(item, 'sk')),
    id: readText(item, 'id'),
    text: readJson(item, 'reply') as string,
    at: readNumber(item, 'at'),
  };
}

const pkOf = (chat: TextChat) => repliesKey(chat.tenant, chat.channelId, chat.chat);

/**
 * The text app's replies in DynamoDB: one item a reply. Each carries what makes appends repeatable and numbers gapless,
 * so that an append is one read and one conditional put.
 */
export class DynamoTextReplies implements TextReplies, TextReplyEraser {
  readonly #table: Table;
  readonly #now: () => number;

  constructor(table: Table, now: () => number = Date.now) {
    this.#table = table;
    this.#now = now;
  }

  async append(chat: TextChat, reply: Omit<TextReply, 'seq'>): Promise<TextReply> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const head = await this.#head(chat);
      const seq = seqOf(head, reply.id);
      const stored = seq && (await this.#at(chat, seq));
      if (stored && stored.id === reply.id) return stored;
      if (await this.#put(chat, head, reply)) {
        await this.#letExpire(chat, head.seq);
        return { seq: head.seq + 1, id: reply.id, text: reply.text, at: reply.at };
      }
      await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_WAIT_MS));
    }
    throw new ConchError('chat-busy', 'Too many replies at once', { retryable: true });
  }

  async edit(chat: TextChat, id: string, words: string): Promise<boolean> {
    const seq = seqOf(await this.#head(chat), id);
    if (!seq) return false;
    const input: Input<'dynamodb', 'UpdateItem'> = {
      TableName: this.#table.name,
      Key: keyOf(pkOf(chat), seqKey(seq)),
      UpdateExpression: 'SET reply = :reply',
      ConditionExpression: 'id = :id',
      ExpressionAttributeValues: { ':reply': json(words), ':id': text(id) },
    };
    return (await conditional(this.#table.client.send('UpdateItem', input))).ok;
  }

  async newest(chat: TextChat): Promise<string | undefined> {
    return (await this.#head(chat)).id;
  }

  async after(chat: TextChat, seq: number, limit: number): Promise<TextReply[]> {
    const oldest = this.#now() - TEXT_REPLY_LIFE_MS;
    const replies: TextReply[] = [];
    if (limit < 1 || seq >= MAX_SEQ) return replies;
    for await (const item of this.#from(chat, Math.max(0, seq) + 1)) {
      const reply = toReply(item);
      if (reply.at > oldest) replies.push(reply);
      if (replies.length === limit) break;
    }
    return replies;
  }

  async erase(chat: TextChat): Promise<void> {
    await deleteItems(this.#table, partition(this.#table, pkOf(chat), { ProjectionExpression: 'pk, sk' }));
  }

  #from(chat: TextChat, seq: number, more: { Limit?: number } = {}): AsyncGenerator<Item> {
    return partition(this.#table, pkOf(chat), {
      KeyConditionExpression: 'pk = :pk AND sk >= :from',
      ExpressionAttributeValues: { ':pk': text(pkOf(chat)), ':from': text(seqKey(seq)) },
      ...more,
    });
  }

  async #at(chat: TextChat, seq: number): Promise<TextReply | undefined> {
    for await (const item of this.#from(chat, seq, { Limit: 1 })) return toReply(item);
    return undefined;
  }

  async #head(chat: TextChat): Promise<Head> {
    for await (const item of partition(this.#table, pkOf(chat), { ScanIndexForward: false, Limit: 1 })) {
      return { seq: Number(readText(item, 'sk')), id: readText(item, 'id'), known: readText(item, 'known') };
    }
    return { seq: 0, known: '' };
  }

  async #put(chat: TextChat, head: Head, reply: Omit<TextReply, 'seq'>): Promise<boolean> {
    const known = (head.known + hashOf(reply.id)).slice(-HASH_CHARS * TEXT_REPLIES_KNOWN);
    const input: Input<'dynamodb', 'PutItem'> = {
      TableName: this.#table.name,
      Item: {
        ...keyOf(pkOf(chat), seqKey(head.seq + 1)),
        id: text(reply.id),
        reply: json(reply.text),
        at: number(reply.at),
        known: text(known),
      },
      ConditionExpression: 'attribute_not_exists(pk)',
    };
    return (await conditional(this.#table.client.send('PutItem', input))).ok;
  }

  /**
   * The newest reply never leaves the table, else the numbers would begin again at 1 and a client that has seen higher
   * ones would miss what comes. It gets its expiry when it has a successor; until then `after` leaves it out.
   */
  async #letExpire(chat: TextChat, seq: number): Promise<void> {
    if (seq === 0) return;
    const input: Input<'dynamodb', 'UpdateItem'> = {
      TableName: this.#table.name,
      Key: keyOf(pkOf(chat), seqKey(seq)),
      UpdateExpression: 'SET expiresAt = :at',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':at': ttlSeconds(this.#now() + TEXT_REPLY_LIFE_MS) },
    };
    await conditional(this.#table.client.send('UpdateItem', input));
  }
}
