import { withChange } from '../domain/changedSettings.ts';
import type { OptionsChange } from '../domain/events.ts';
import type { TenantSettings } from '../ports/tenants.ts';
import { call, conditional } from './calls.ts';
import { json, keyOf, number, readJson, readNumber } from './items.ts';
import { SETTINGS_KEY, tenantKey } from './keys.ts';
import { getItem } from './oneItem.ts';
import type { Input } from './operations.ts';
import type { Table } from './table.ts';

const keyOfSettings = (tenant: string) => keyOf(tenantKey(tenant), SETTINGS_KEY);

/** Puts the settings whole; when a chat changed them last stays. */
export async function putSettingsItem(table: Table, tenant: string, settings: TenantSettings): Promise<void> {
  const input: Input<'dynamodb', 'UpdateItem'> = {
    TableName: table.name,
    Key: keyOfSettings(tenant),
    UpdateExpression: 'SET #record = :record',
    ExpressionAttributeNames: { '#record': 'record' },
    ExpressionAttributeValues: { ':record': json(settings) },
  };
  await call('dynamodb', table.client.send('UpdateItem', input));
}

/** Changes some of the settings, on the record as it is then: read, and written if nobody else has written meanwhile. */
export async function changeSettingsItem(
  table: Table,
  tenant: string,
  change: OptionsChange,
  at: number,
): Promise<void> {
  for (;;) {
    const item = await getItem(table, keyOfSettings(tenant));
    if (!item?.record || (item.changedAt && readNumber(item, 'changedAt') >= at)) return;
    const record = json(withChange(readJson(item, 'record') as TenantSettings, change));
    const input: Input<'dynamodb', 'UpdateItem'> = {
      TableName: table.name,
      Key: keyOfSettings(tenant),
      UpdateExpression: 'SET #record = :record, changedAt = :at',
      ConditionExpression: '#record = :before AND (attribute_not_exists(changedAt) OR changedAt < :at)',
      ExpressionAttributeNames: { '#record': 'record' },
      ExpressionAttributeValues: { ':record': record, ':before': item.record, ':at': number(at) },
    };
    if ((await conditional(table.client.send('UpdateItem', input))).ok) return;
  }
}
