import {
  type CancellationReason,
  ConditionalCheckFailedException,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import type { UserKey } from '../../../domain/user-name.ts';
import { followsUncertainAttempt } from './dynamodb-client.ts';
import { type Item, putsOf } from './items.ts';
import type { Call, Table } from './table.ts';

/** A write of a transaction. */
export interface Write {
  readonly item: TransactWriteItem;
  /** The key that is in use if the condition of the write fails. Undefined if its user has then changed. */
  readonly takes?: UserKey;
}

const isFailedCondition = (reason: CancellationReason | undefined): boolean =>
  reason?.Code === 'ConditionalCheckFailed';

/** Whether the condition of a write held. */
export const conditionHeld = async (write: Promise<unknown>): Promise<boolean> => {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
};

/** Why a transaction was refused. */
export interface TransactionRefusal {
  /** The writes whose conditions failed, in their order, with what is stored. */
  readonly failed: readonly { readonly takes: UserKey | undefined; readonly stored: Item | undefined }[];
  /**
   * Whether an earlier attempt may still be under way: DynamoDB keeps no token of a refused transaction, and executes
   * that attempt as soon as its conditions hold.
   */
  readonly mayBeApplied: boolean;
}

/** The writes whose conditions failed; undefined if the transaction has to be repeated first. */
const failedOf = (
  writes: readonly Write[],
  reasons: readonly CancellationReason[] = [],
): TransactionRefusal['failed'] | undefined => {
  const failed = writes.flatMap(({ takes }, index) =>
    isFailedCondition(reasons[index]) ? [{ takes, stored: reasons[index]?.Item }] : [],
  );
  if (failed.length === 0) return undefined;
  // The first write takes the address. While other transactions hold that, it is not known whether only names are taken.
  const isFirstKnown = reasons[0]?.Code === 'None' || isFailedCondition(reasons[0]);
  return isFirstKnown || failed.some(({ takes }) => takes === undefined) ? failed : undefined;
};

/**
 * Makes every write and stores every event, or none. `token` has at most 36 characters. DynamoDB identifies the
 * transaction by it for ten minutes, so that a repeated request changes nothing. Returns undefined after success, and the
 * refusal if a condition failed.
 */
export const transact = (
  table: Table,
  token: string,
  writes: readonly Write[],
  events: readonly QueuedEvent[] = [],
): Promise<TransactionRefusal | undefined> => {
  if (events.length > 0) table.includeEvents();
  let mayBeApplied = false;
  const items = [...writes.map(({ item }) => item), ...putsOf(table.nameOfEvents, events)];
  const work = async ({ client, options }: Call): Promise<TransactionRefusal | undefined> => {
    const transaction = { TransactItems: items, ClientRequestToken: token };
    try {
      await client.send(new TransactWriteItemsCommand(transaction), options);
      return undefined;
    } catch (error) {
      mayBeApplied ||= followsUncertainAttempt(error);
      const failed =
        error instanceof TransactionCanceledException ? failedOf(writes, error.CancellationReasons) : undefined;
      if (failed !== undefined) return { failed, mayBeApplied };
      throw error;
    }
  };
  return writes.length > 0 ? table.call(work) : table.callForEvents(work);
};
