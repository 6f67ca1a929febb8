import type { ChannelRecord, ClaimAttempt, Tenants } from '../ports/tenants.ts';
import { conditional } from './calls.ts';
import { channelItem, claimOutcome, toChannel, withStoredClaim } from './channelItems.ts';
import { json, keyOf, number, text } from './items.ts';
import { channelKey, tenantKey } from './keys.ts';
import { getItem, putItem, putItemIf } from './oneItem.ts';
import type { Input } from './operations.ts';
import type { Table } from './table.ts';

export const channelItemKey = (tenant: string, name: string) => keyOf(tenantKey(tenant), channelKey(name));

/** Puts the channel; if a claim came first that `channel` does not know of, puts it again with that claim (SPEC 9.2). */
export async function putChannelItem(table: Table, tenant: string, channel: ChannelRecord): Promise<void> {
  const Item = { ...channelItemKey(tenant, channel.name), ...channelItem(channel) };
  const { claim } = channel;
  if (!claim || claim.usedBy !== undefined) return putItem(table, Item);
  const unclaimed = 'attribute_not_exists(claimUsedBy) OR claimHash <> :hash';
  if (await putItemIf(table, Item, unclaimed, { ':hash': text(claim.codeHash) })) return;
  const stored = await getItem(table, channelItemKey(tenant, channel.name));
  await putChannelItem(table, tenant, withStoredClaim(channel, stored && toChannel(stored)));
}

/** Makes the person the channel's owner, as `Tenants.claim` says: one conditional update, so that of two people one wins. */
export async function claimChannelItem(
  table: Table,
  tenant: string,
  channelName: string,
  attempt: ClaimAttempt,
): ReturnType<Tenants['claim']> {
  const Key = channelItemKey(tenant, channelName);
  const input: Input<'dynamodb', 'UpdateItem'> = {
    TableName: table.name,
    Key,
    UpdateExpression: `SET ownerId = :person, claimUsedBy = :person${attempt.chat ? ', ownerChat = :chat' : ' REMOVE ownerChat'}`,
    ConditionExpression:
      'claimHash = :hash AND claimExpiresAt > :now AND (attribute_not_exists(claimUsedBy) OR claimUsedBy = :person)',
    ExpressionAttributeValues: {
      ':hash': text(attempt.codeHash),
      ':now': number(attempt.now),
      ':person': json(attempt.person),
      ...(attempt.chat ? { ':chat': json(attempt.chat) } : {}),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  const update = await conditional(table.client.send('UpdateItem', input));
  return update.ok ? 'claimed' : claimOutcome(update.item ?? (await getItem(table, Key)), attempt);
}
