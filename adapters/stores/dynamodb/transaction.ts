import {
  type CancellationReason,
  ConditionalCheckFailedException,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import { followsUncertainAttempt } from './dynamodb-client.ts';
import { putsOf } from './items.ts';
import type { Table } from './table.ts';

export const isFailedCondition = (reason: CancellationReason | undefined): boolean =>
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
  /** The reason for each item, in their order. */
  readonly reasons: readonly CancellationReason[];
  /**
   * Whether an earlier attempt may still be under way: DynamoDB keeps no token of a refused transaction, and executes
   * that attempt as soon as its conditions hold.
   */
  readonly mayBeApplied: boolean;
}

/**
 * Writes every item and event, or none. `token` has at most 36 characters. DynamoDB identifies the transaction by it
 * for ten minutes, so that a repeated request changes nothing. Returns undefined after success, and the refusal if a
 * condition failed.
 */
export const transact = (
  table: Table,
  token: string,
  itemsOf: (TableName: string) => readonly TransactWriteItem[],
  events: readonly QueuedEvent[] = [],
): Promise<TransactionRefusal | undefined> => {
  if (events.length > 0) table.includeEvents();
  let mayBeApplied = false;
  return table.call(async ({ client, TableName, options }) => {
    const items = [...itemsOf(TableName), ...putsOf(table.nameOfEvents, events)];
    const transaction = { TransactItems: items, ClientRequestToken: token };
    try {
      await client.send(new TransactWriteItemsCommand(transaction), options);
      return undefined;
    } catch (error) {
      const reasons = error instanceof TransactionCanceledException ? error.CancellationReasons : undefined;
      mayBeApplied ||= followsUncertainAttempt(error);
      if (reasons?.some(isFailedCondition)) return { reasons, mayBeApplied };
      throw error;
    }
  });
};
