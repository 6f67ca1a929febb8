import * as z from 'zod/mini';
import type { ToolCatalog, ToolServerRecord } from '../ports/tenants.ts';
import type { Item } from './calls.ts';
import { type OnBroken, readRecords } from './customItems.ts';
import { json, keyOf, readJson, text } from './items.ts';
import { keyPart, toolCatalogsKey } from './keys.ts';
import { getItem, putItem } from './oneItem.ts';
import type { Table } from './table.ts';

/** A tool server's attributes. The revision has its own, since a write may depend on it. */
export function toolServerItem(server: ToolServerRecord): Item {
  return { record: json(server), revision: text(server.revision) };
}

const promptSchema = z.looseObject({
  name: z.string(),
  description: z.exactOptional(z.string()),
  arguments: z.array(
    z.looseObject({
      name: z.string(),
      description: z.exactOptional(z.string()),
      required: z.exactOptional(z.literal(true)),
    }),
  ),
});

const serverSchema: z.ZodMiniType<ToolServerRecord> = z.looseObject({
  name: z.string(),
  url: z.string(),
  headers: z._default(z.record(z.string(), z.string()), {}),
  only: z.exactOptional(z.array(z.string())),
  prompts: z._default(z.array(promptSchema), []),
  catalog: z.exactOptional(z.string()),
  revision: z.string(),
});

/** The tool servers of these items, by name. */
export function toToolServers(items: readonly Item[], onBroken: OnBroken): ToolServerRecord[] {
  return readRecords(items, serverSchema, onBroken);
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
