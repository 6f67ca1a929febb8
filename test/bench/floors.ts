import { timingSafeEqual } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { LambdaEvent } from 'hono/aws-lambda';
import type { Item } from '../../lib/aws/calls.ts';
import { EMBEDDED_AWS } from '../../local/embedded/ports.ts';
import { SECRET_HEADER } from './telegramEvents.ts';
import { WEBHOOK_SECRET, type World } from './world.ts';

/** A short conversation, as long as the one that the worker sends. */
const ASKED = [
  { role: 'system', content: 'You are an assistant that people write to in a chat app. '.repeat(7) },
  ...Array.from({ length: 2 }, () => [
    { role: 'user', content: 'Are whales fish?' },
    { role: 'assistant', content: 'Whales are mammals: they breathe air, are warm-blooded and nurse their young.' },
  ]).flat(),
  { role: 'user', content: 'Are whales fish? I saw one from the ferry this morning and wondered.' },
];

/** What a webhook does at the least. */
export interface LeastWebhook {
  event: LambdaEvent;
  /** The partition that stands for the place. */
  pk: string;
  /** What the real webhook has written for such an event; the floor writes the same bytes. */
  item: Item;
  /** A command: this text goes out by the Bot API. Absent: a message, which goes to the queue. */
  reply?: string;
}

/**
 * The floors: the least that does each job, by hand, with the AWS SDK and without anything of the project's. No routing, no
 * access, no duplicates, no decisions, no retries.
 */
export class Floors {
  readonly #world: World;
  readonly #dynamo: DynamoDBClient;
  readonly #sqs: SQSClient;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(world: World) {
    this.#world = world;
    this.#dynamo = new DynamoDBClient({ ...EMBEDDED_AWS, endpoint: world.services.dynamodbEndpoint });
    this.#sqs = new SQSClient({ ...EMBEDDED_AWS, endpoint: world.services.sqsEndpoint });
  }

  close(): void {
    this.#dynamo.destroy();
    this.#sqs.destroy();
    this.#agent.destroy();
  }

  /** Secret compared, JSON parsed, one Query, one PutItem, and the one call that hands it on. */
  async webhook({ event, pk, item, reply }: LeastWebhook): Promise<{ statusCode: number }> {
    const given = Buffer.from(String(event.headers?.[SECRET_HEADER] ?? ''));
    const secret = Buffer.from(WEBHOOK_SECRET);
    if (given.length !== secret.length || !timingSafeEqual(given, secret)) return { statusCode: 401 };
    const update = JSON.parse(Buffer.from(event.body ?? '', 'base64').toString()) as {
      message: { chat: { id: number } };
    };
    await this.#append(pk, item);
    if (reply === undefined) await this.#send(pk);
    else await this.#post(update.message.chat.id, reply);
    return { statusCode: 200 };
  }

  /** The newest event, and one more after it. */
  async #append(pk: string, item: Item): Promise<void> {
    const newest = await this.#dynamo.send(
      new QueryCommand({
        TableName: this.#world.table.name,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: pk } },
        ConsistentRead: true,
        ScanIndexForward: false,
        Limit: 1,
      }),
    );
    const [before] = newest.Items ?? [];
    JSON.parse(before?.state?.S ?? '');
    const sk = String(Number(before?.sk?.S) + 1).padStart(12, '0');
    await this.#dynamo.send(
      new PutItemCommand({
        TableName: this.#world.table.name,
        Item: { ...item, pk: { S: pk }, sk: { S: sk } },
        ConditionExpression: 'attribute_not_exists(pk)',
      }),
    );
  }

  /** One message received, one Query, one PutItem, one request to the provider: what a turn begins with at the least. */
  async turn(item: Item): Promise<void> {
    const QueueUrl = this.#world.services.floorQueueUrl;
    const received = await this.#sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 10 }));
    const [message] = received.Messages ?? [];
    const { pk } = JSON.parse(message?.Body ?? '') as { pk: string };
    await this.#append(pk, item);
    const { baseURL, apiKey } = this.#world.services.model;
    const body = JSON.stringify({
      model: 'one',
      stream: true,
      stream_options: { include_usage: true },
      messages: ASKED,
    });
    const response = await this.#request(`${baseURL}/chat/completions`, body, { authorization: `Bearer ${apiKey}` });
    for await (const _ of response);
    await this.#sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle ?? '' }));
  }

  async #send(pk: string): Promise<void> {
    const MessageBody = JSON.stringify({ pk });
    const QueueUrl = this.#world.services.floorQueueUrl;
    await this.#sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: 'bench' }));
  }

  async #post(chat: number, text: string): Promise<void> {
    const { root, token } = this.#world.services.telegram;
    const body = JSON.stringify({ chat_id: chat, text });
    const response = await this.#request(`${root}/bot${token}/sendMessage`, body);
    let answer = '';
    for await (const chunk of response) answer += chunk;
    if (!(JSON.parse(answer) as { ok: boolean }).ok) throw new Error('The Bot API did not take the floor’s message');
  }

  #request(url: string, body: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
    const agent = this.#agent;
    const all = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers };
    return new Promise((resolve, reject) => {
      request(url, { method: 'POST', agent, headers: all }, resolve).on('error', reject).end(body);
    });
  }
}
