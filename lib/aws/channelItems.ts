import type { Address } from '../domain/events.ts';
import type { ChannelRecord, Claim, ClaimAttempt } from '../ports/tenants.ts';
import type { Item } from './calls.ts';
import { json, number, readJson, readNumber, readText, text } from './items.ts';

/** The channel's attributes. What a claim tests and sets has its own; the rest is JSON. */
export function channelItem({ owner, ownerChat, claim, ...record }: ChannelRecord): Item {
  return {
    record: json(record),
    ...(owner === undefined ? {} : { ownerId: json(owner) }),
    ...(ownerChat ? { ownerChat: json(ownerChat) } : {}),
    ...(claim ? { claimHash: text(claim.codeHash), claimExpiresAt: number(claim.expiresAt) } : {}),
    ...(claim?.usedBy === undefined ? {} : { claimUsedBy: json(claim.usedBy) }),
  };
}

function toClaim(item: Item): Claim | undefined {
  if (!item.claimHash) return undefined;
  const claim = { codeHash: readText(item, 'claimHash'), expiresAt: readNumber(item, 'claimExpiresAt') };
  return item.claimUsedBy ? { ...claim, usedBy: readJson(item, 'claimUsedBy') as string } : claim;
}

/** The channel in a stored item. */
export function toChannel(item: Item): ChannelRecord {
  const claim = toClaim(item);
  return {
    ...(readJson(item, 'record') as ChannelRecord),
    ...(item.ownerId ? { owner: readJson(item, 'ownerId') as string } : {}),
    ...(item.ownerChat ? { ownerChat: readJson(item, 'ownerChat') as Address } : {}),
    ...(claim ? { claim } : {}),
  };
}

/** Why a claim was refused, by the channel's item as it was then. */
export function claimOutcome(item: Item | undefined, attempt: ClaimAttempt): 'wrong' | 'used' | 'expired' {
  const claim = item && toClaim(item);
  if (claim?.codeHash !== attempt.codeHash) return 'wrong';
  return claim.usedBy !== undefined && claim.usedBy !== attempt.person ? 'used' : 'expired';
}

/** `channel` with the owner and the use of the code that `stored` has, if it is still about the same code. */
export function withStoredClaim(channel: ChannelRecord, stored: ChannelRecord | undefined): ChannelRecord {
  if (!stored?.claim || stored.claim.codeHash !== channel.claim?.codeHash) return channel;
  const { claim, owner, ownerChat } = stored;
  return { ...channel, claim, ...(owner === undefined ? {} : { owner }), ...(ownerChat ? { ownerChat } : {}) };
}
