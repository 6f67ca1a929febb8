import { timingSafeEqual } from 'node:crypto';
import { DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { LambdaEvent } from 'hono/aws-lambda';
import type { Item } from '../../lib/aws/calls.ts';
import { EMBEDDED_AWS } from '../../local/embedded/ports.ts';
import { SECRET_HEADER } from './telegramEvents.ts';
import { WEBHOOK_SECRET, type World } from './world.ts';

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

  constructor(world: World) {
    this.#world = world;
    this.#dynamo = new DynamoDBClient({ ...EMBEDDED_AWS, endpoint: world.services.dynamodbEndpoint });
    this.#sqs = new SQSClient({ ...EMBEDDED_AWS, endpoint: world.services.sqsEndpoint });
  }

  close(): void {
    this.#dynamo.destroy();
    this.#sqs.destroy();
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

  async #send(pk: string): Promise<void> {
    const MessageBody = JSON.stringify({ pk });
    const QueueUrl = this.#world.services.floorQueueUrl;
    await this.#sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: 'bench' }));
  }

  async #post(chat: number, text: string): Promise<void> {
    const { root, token } = this.#world.services.telegram;
    const response = await fetch(`${root}/bot${token}/sendMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ chat_id: chat, text }),
    });
    const answer = (await response.json()) as { ok: boolean };
    if (!answer.ok) throw new Error('The Bot API did not take the floor’s message');
  }
}
