import { BatchGetItemCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import type { EmailKey } from '../../../domain/email-address.ts';
import type { UserKey } from '../../../domain/user-name.ts';
import { sharedReads } from '../../concurrency/call-batches.ts';
import { type Item, keyItem, keyOfItem } from './items.ts';
import type { Table } from './table.ts';

/** The most items of one request: even the largest ones (400 KB) together are smaller than its largest response (16 MB). */
const maxItems = 32;

const isDenied = ({ cause }: Fault): boolean => cause instanceof Error && cause.name === 'AccessDeniedException';

/** For a response that a proxy has sent to another request, with another user. */
const notRequested = (): Fault =>
  new Fault('store_unavailable', 'DynamoDB: a response has an item that was not requested');

/** Reads the item of a key alone; undefined if there is none. */
export const readItem = async (table: Table, key: UserKey): Promise<Item | undefined> => {
  // Without a signal, because for a command with one the client resolves its middleware anew, which takes longer than
  // the rest of the service. After the timeout the read ends with its current attempt.
  const Key = keyItem(key);
  const { Item } = await table.call(({ client, TableName }) =>
    client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true })),
  );
  if (Item !== undefined && keyOfItem(Item) !== keyOfItem(Key)) throw notRequested();
  return Item;
};

/**
 * Reads items by key, each as recent as its request. Those that are requested in one turn of the event loop share a
 * request, because most of the processor time of a read is that of its request.
 */
export class ItemReads {
  /** The item of a key; undefined if there is none. Rejects with a Fault. */
  readonly read = sharedReads<EmailKey, Item>(maxItems, {
    together: async (keys) => (this.mayShare ? this.readTogether(keys) : undefined),
    alone: (key) => readItem(this.table, key),
  });
  /** Until DynamoDB denies it: former versions did not need this permission. */
  private mayShare = true;

  constructor(private readonly table: Table) {}

  /**
   * The items of different keys, without those that DynamoDB did not read, as for want of throughput: they are read alone,
   * with the delays of the client. All are if it rejects the request, so that each fails for its own reason only.
   */
  private async readTogether(keys: readonly EmailKey[]): Promise<ReadonlyMap<string, Item | undefined> | undefined> {
    const read = { Keys: keys.map(keyItem), ConsistentRead: true };
    const { name } = this.table;
    try {
      // Without a signal, as in `readItem`.
      const { Responses, UnprocessedKeys } = await this.table.call(({ client }) =>
        client.send(new BatchGetItemCommand({ RequestItems: { [name]: read } })),
      );
      const items = new Map<string, Item | undefined>(keys.map((key) => [key, undefined]));
      for (const item of Responses?.[name] ?? []) {
        const key = keyOfItem(item);
        if (!items.has(key)) throw notRequested();
        items.set(key, item);
      }
      for (const key of UnprocessedKeys?.[name]?.Keys ?? []) items.delete(keyOfItem(key));
      return items;
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'store_rejected') throw error;
      if (isDenied(error)) this.mayShare = false;
      return undefined;
    }
  }
}
