import type { InstallationRecord, InstallationScope, Installations } from '../ports/installations.ts';
import { call, conditional, type Item } from './calls.ts';
import { deleteItems, json, keyOf, partition, readJson, text } from './items.ts';
import { installationsKey, keyPart } from './keys.ts';
import type { Input } from './operations.ts';
import type { Table } from './table.ts';
import { raiseVersion } from './version.ts';

const itemKey = ({ tenant, channelId }: InstallationScope, workspace: string) =>
  keyOf(installationsKey(tenant, channelId), keyPart(workspace));

const toInstallation = (item: Item) => readJson(item, 'installation') as InstallationRecord;

/** The mark has an attribute of its own, since writes test it. */
const itemOf = (scope: InstallationScope, installation: InstallationRecord): Item => ({
  ...itemKey(scope, installation.workspace),
  installation: json(installation),
  mark: text(installation.mark),
});

const expecting = (mark: string) => ({
  ConditionExpression: 'mark = :expected',
  ExpressionAttributeValues: { ':expected': text(mark) },
});

/** Installations in DynamoDB: one item a workspace, in the channel's partition. */
export class DynamoInstallations implements Installations {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async get(scope: InstallationScope, workspace: string): Promise<InstallationRecord | undefined> {
    const input: Input<'dynamodb', 'GetItem'> = {
      TableName: this.#table.name,
      Key: itemKey(scope, workspace),
      ConsistentRead: true,
    };
    const { Item: found } = await call('dynamodb', this.#table.client.send('GetItem', input));
    return found && toInstallation(found);
  }

  async put(scope: InstallationScope, installation: InstallationRecord): Promise<void> {
    const input = { TableName: this.#table.name, Item: itemOf(scope, installation) };
    await call('dynamodb', this.#table.client.send('PutItem', input));
    await raiseVersion(this.#table, scope.tenant);
  }

  /** A put that had arrived and is repeated by the client meets its own mark. */
  async replace(scope: InstallationScope, installation: InstallationRecord, expected: string): Promise<boolean> {
    const input = { TableName: this.#table.name, Item: itemOf(scope, installation), ...expecting(expected) };
    if ((await conditional(this.#table.client.send('PutItem', input))).ok) return true;
    return (await this.get(scope, installation.workspace))?.mark === installation.mark;
  }

  async remove(scope: InstallationScope, workspace: string, expected: string): Promise<boolean> {
    const input = { TableName: this.#table.name, Key: itemKey(scope, workspace), ...expecting(expected) };
    const { ok } = await conditional(this.#table.client.send('DeleteItem', input));
    // Also where somebody else removed it: they may have died before they raised it.
    await raiseVersion(this.#table, scope.tenant);
    return ok;
  }

  async *list({ tenant, channelId }: InstallationScope): AsyncGenerator<InstallationRecord> {
    for await (const item of partition(this.#table, installationsKey(tenant, channelId))) yield toInstallation(item);
  }

  async erase({ tenant, channelId }: InstallationScope): Promise<void> {
    await deleteItems(this.#table, partition(this.#table, installationsKey(tenant, channelId)));
    await raiseVersion(this.#table, tenant);
  }
}
