import { expect, test } from 'vitest';
import type { SlackAddress } from '../../lib/channels/slack/address.ts';
import type { Address } from '../../lib/domain/events.ts';
import { addressSchema } from '../../lib/domain/values.ts';

test('SPEC 2.5: what an app keeps in an address is read as it was written', () => {
  const kept = { chat: 'U1', channel: 'D1', token: 'sealed', ofNewerVersion: 1 };
  expect(addressSchema.parse(kept)).toEqual(kept);
  expect(addressSchema.safeParse({ chat: '' }).success).toBe(false);
});

test('a field that an app does not declare does not compile', () => {
  const address: Address = { chat: 'U1', group: true };
  const own: SlackAddress = { ...address, channel: 'D1' };
  // @ts-expect-error: it is `token`.
  const misspelt: SlackAddress = { ...own, tokn: 'sealed' };
  // @ts-expect-error: only Slack's own code reads it.
  expect([address.channel, misspelt.chat]).toEqual([undefined, 'U1']);
});
