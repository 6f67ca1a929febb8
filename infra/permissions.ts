import { CURSOR_KEY } from '../lib/aws/keys.ts';
import type { TABLE } from '../lib/aws/table.ts';
import { providerOwner, toolServerOwner } from '../lib/ports/secrets.ts';
import { APP_NAMES, type AppName } from '../lib/ports/tenants.ts';
import type { FunctionName } from './bundling.ts';

type TableAction = 'GetItem' | 'Query' | 'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'BatchWriteItem';

/** What a function may do. Whatever is not here is refused by AWS. */
export interface Permissions {
  /** Actions on items; `partition`: only on the items of this partition. */
  table: readonly { actions: readonly TableAction[]; partition?: string }[];
  /** Indexes that it may query. */
  indexes?: readonly (typeof TABLE.indexes)[number]['name'][];
  /** Actions on the queue of hints, besides those that receiving needs: to delete is one of these. */
  queue?: readonly ('SendMessage' | 'ChangeMessageVisibility')[];
  /** The queue that Lambda receives from in its name. */
  receives?: 'hints' | 'deadLetters';
  /** Actions with the key of the secrets; `notOwner`: but not for secrets of owners that match one of these patterns. */
  key?: { actions: readonly ('Encrypt' | 'Decrypt')[]; notOwner?: readonly string[] };
}

const ITEMS = ['GetItem', 'Query', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem'] as const;

/** Owners of what belongs to no channel. */
const NO_CHANNELS = [providerOwner('*'), toolServerOwner('*')];

/** A webhook opens its channels' secrets and no others: an address that the world can reach. */
const WEBHOOK: Permissions = {
  table: [{ actions: ITEMS }],
  queue: ['SendMessage'],
  key: { actions: ['Decrypt'], notOwner: NO_CHANNELS },
};

/** One that also seals: the tokens of workspaces that its app is installed in. */
const SEALING_WEBHOOK: Permissions = {
  ...WEBHOOK,
  key: { actions: ['Encrypt', 'Decrypt'], notOwner: NO_CHANNELS },
};

const WEBHOOKS = Object.fromEntries(APP_NAMES.map((app) => [app, WEBHOOK])) as Record<AppName, Permissions>;

/** What each function may do: the calls that its code makes. None may read the table without naming a partition. */
export const PERMISSIONS: Record<FunctionName, Permissions> = {
  ...WEBHOOKS,
  slack: SEALING_WEBHOOK,
  worker: {
    table: [{ actions: ITEMS }],
    queue: ['SendMessage', 'ChangeMessageVisibility'],
    receives: 'hints',
    // It renews tokens of workspaces.
    key: { actions: ['Encrypt', 'Decrypt'] },
  },
  admin: {
    table: [{ actions: [...ITEMS, 'BatchWriteItem'] }],
    indexes: ['places'],
    key: { actions: ['Encrypt', 'Decrypt'] },
  },
  deadLetters: { table: [{ actions: ['Query'] }], queue: ['SendMessage'], receives: 'deadLetters' },
  sweeper: {
    table: [{ actions: ['Query'] }, { actions: ['GetItem', 'UpdateItem'], partition: CURSOR_KEY }],
    indexes: ['owed'],
    queue: ['SendMessage'],
  },
};
