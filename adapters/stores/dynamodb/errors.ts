import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import { isConnectionError, isTlsError, reasonOf, statusOf } from '../../aws/errors.ts';
import { followsDoubt } from './client.ts';
import { keyAttribute as keyOfUsers } from './item.ts';

// DynamoDB developer guide, "Error handling with DynamoDB", beside failed connections and HTTP status 429 and above 499.
// Whatever is not here is a rejection.
const passing = new Set([
  'ProvisionedThroughputExceededException',
  'ProvisionedThroughputExceeded',
  'ThrottlingException',
  'ThrottlingError',
  'RequestLimitExceeded',
  'InternalServerError',
  'ServiceUnavailable',
  'TransactionConflictException',
  'TransactionConflict',
  'TransactionInProgressException',
  'TimeoutError',
  'AbortError',
  'CredentialsProviderError',
]);

const ofThroughput = 'more is asked of the table than it is provisioned for';
const ofTransactions = 'other transactions hold the user';

const ofKey = (key: string): string => `the request does not suit the table, whose key has to be ${key} (S) alone`;

/** What DynamoDB says of the key of a table, by the name of an error. */
const keyReasons: Readonly<Record<string, (key: string) => string>> = {
  ResourceNotFoundException: (key) =>
    `there is no such table in this region; create it with the partition key ${key} (S), or write createTable: true`,
  ValidationException: ofKey,
  ValidationError: ofKey,
};

/** What DynamoDB says of the table, by the name of an error or the code of a cancelled transaction. */
const tableReasons: Readonly<Record<string, string>> = {
  ProvisionedThroughputExceededException: ofThroughput,
  ProvisionedThroughputExceeded: ofThroughput,
  TransactionConflictException: ofTransactions,
  TransactionConflict: ofTransactions,
  TransactionInProgressException: ofTransactions,
  ThrottlingError: 'too many requests',
};

/** What is said to be missing when DynamoDB doesn't name the permission itself. */
const asked = { service: 'DynamoDB', action: 'what the table needs' };

/** Why a transaction was cancelled: the first code that says so. Undefined for any other error. */
const cancellation = (error: unknown): string | undefined =>
  error instanceof TransactionCanceledException
    ? error.CancellationReasons?.find(({ Code }) => Code !== undefined && Code !== 'None')?.Code
    : undefined;

const nameOf = (error: unknown): string => cancellation(error) ?? (error instanceof Error ? error.name : '');

const isPassing = (error: unknown): boolean => {
  const status = statusOf(error) ?? 0;
  return passing.has(nameOf(error)) || isConnectionError(error) || isTlsError(error) || status >= 500 || status === 429;
};

const tableReason = (name: string, key: string): string | undefined => {
  if (Object.hasOwn(keyReasons, name)) return keyReasons[name]?.(key);
  return Object.hasOwn(tableReasons, name) ? tableReasons[name] : undefined;
};

/**
 * The Fault that tells callers and operators about what the client threw at a table with this partition key. Its message
 * never repeats the client's, which may quote an item.
 */
export const faultOf = (place: string, error: unknown, keyAttribute = keyOfUsers): Fault => {
  if (error instanceof Fault) return error;
  const name = nameOf(error);
  const known = tableReason(name, keyAttribute);
  const reason = known === undefined ? reasonOf(error, asked) : `${known} (${name})`;
  return new Fault(isPassing(error) ? 'store_unavailable' : 'store_rejected', `${place}: ${reason}`);
};

const passingCancellations = new Set(['TransactionConflict', 'ProvisionedThroughputExceeded', 'ThrottlingError']);

/**
 * Whether a write did not come to pass because of others, which the client does not try again by itself, and may be
 * repeated: a transaction is known by its token, and a single write only where no attempt of it is in doubt.
 */
export const mayBeRepeated = (error: unknown): boolean =>
  error instanceof TransactionCanceledException
    ? passingCancellations.has(nameOf(error))
    : nameOf(error) === 'TransactionConflictException' && !followsDoubt(error);
