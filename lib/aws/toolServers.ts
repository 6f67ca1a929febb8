import type { ToolCatalog, ToolServerRecord } from '../ports/tenants.ts';
import type { Item } from './calls.ts';
import { readRecord } from './customItems.ts';
import { json, keyOf, readJson, text } from './items.ts';
import { keyPart, toolCatalogsKey } from './keys.ts';
import { getItem, putItem } from './oneItem.ts';
import type { Table } from './table.ts';

/** A tool server's attributes. The revision has its own, since a write may depend on it. */
export function toolServerItem(server: ToolServerRecord): Item {
  return { record: json(server), revision: text(server.revision) };
}

/** The tool servers of these items, by name. One that is broken is passed over: the others still work. */
export function toToolServers(items: readonly Item[]): ToolServerRecord[] {
  return items.flatMap((item) =>
    readRecord(item, ['name', 'url', 'revision']).map(
      (record) => ({ headers: {}, prompts: [], ...record }) as unknown as ToolServerRecord,
    ),
  );
}

const catalogItemKey = (tenant: string, server: string) => keyOf(toolCatalogsKey(tenant), keyPart(server));

/** What a tool server offers, strongly consistent. */
export async function readCatalogItem(table: Table, tenant: string, server: string): Promise<ToolCatalog | undefined> {
  const item = await getItem(table, catalogItemKey(tenant, server));
  return item && (readJson(item, 'record') as ToolCatalog);
}

export async function putCatalogItem(table: Table, tenant: string, server: string, catalog: ToolCatalog) {
  await putItem(table, { ...catalogItemKey(tenant, server), record: json(catalog) });
}
