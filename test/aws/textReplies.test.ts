import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DynamoTextReplies } from '../../lib/aws/textReplies.ts';
import { TEXT_REPLY_LIFE_MS } from '../../lib/ports/textReplies.ts';
import { textRepliesContract } from '../contracts/textReplies.ts';
import { createStores, type Stores } from '../support/stores.ts';
import { interceptedTable, recordedTable } from './spies.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await createStores();
});
afterAll(() => stores.close());

describe("the text app's replies in DynamoDB", () => {
  textRepliesContract(() => {
    const now = { ms: 1_700_000_000_000 };
    return { replies: new DynamoTextReplies(stores.table, () => now.ms), now };
  });

  test('the newest reply has no expiry, so that the numbers never begin again; the one before gets it', async () => {
    const { table, sent } = recordedTable(stores.table);
    const replies = new DynamoTextReplies(table, () => 1_000);
    const chat = { tenant: 't', channelId: 'c', chat: 'expiring' };
    await replies.append(chat, { id: 'a', text: 'a', at: 1_000 });
    await replies.append(chat, { id: 'b', text: 'b', at: 1_000 });
    const puts = sent.filter(({ name }) => name === 'PutItemCommand');
    expect(puts.map(({ input }) => Object.hasOwn(input.Item as object, 'expiresAt'))).toEqual([false, false]);
    expect(sent.at(-1)).toMatchObject({
      ...{ name: 'UpdateItemCommand', input: { Key: { sk: { S: '000000000001' } } } },
    });
    const values = sent.at(-1)?.input.ExpressionAttributeValues;
    expect(values).toEqual({ ':at': { N: String((TEXT_REPLY_LIFE_MS + 1_000) / 1_000) } });
  });

  test('an append that stops after its put is finished by the next try (SPEC 2.3)', async () => {
    const chat = { tenant: 't', channelId: 'c', chat: 'stopped' };
    const broken = interceptedTable(stores.table, async (sent, proceed) => {
      const answer = await proceed();
      if (sent.name === 'PutItemCommand') throw new Error('the process ends here');
      return answer;
    });
    const reply = { id: 'a', text: 'a', at: Date.now() };
    await expect(new DynamoTextReplies(broken).append(chat, reply)).rejects.toThrow();
    expect(await stores.textReplies.append(chat, reply)).toEqual({ seq: 1, ...reply });
    expect(await stores.textReplies.after(chat, 0, 9)).toHaveLength(1);
  });
});
