import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import { awsErrorReason, isConnectionError, isTlsError, statusOf } from '../../aws/errors.ts';
import { followsUncertainAttempt } from './dynamodb-client.ts';
import { keyAttribute } from './items.ts';
import type { TableLayout } from './table-creation.ts';

// DynamoDB developer guide, "Error handling with DynamoDB". Failed connections and HTTP status 429 and above 499 are
// temporary, too; every other error is a rejection.
const temporary = new Set([
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

const throughputReason = 'more is asked of the table than it is provisioned for';
const conflictReason = 'other transactions hold the user';

const keyReason = (key: string): string => `the request does not suit the table, whose key has to be ${key}`;

/** Explanations that name the key of the table, by the name of an error. */
const keyReasons: Readonly<Record<string, (key: string) => string>> = {
  ResourceNotFoundException: (key) =>
    `the table does not exist in this region; create it with the partition key ${key}, or write createTable: true`,
  ValidationException: keyReason,
  ValidationError: keyReason,
};

/** Explanations by the name of an error or the code of a cancelled transaction. */
const tableReasons: Readonly<Record<string, string>> = {
  ProvisionedThroughputExceededException: throughputReason,
  ProvisionedThroughputExceeded: throughputReason,
  TransactionConflictException: conflictReason,
  TransactionConflict: conflictReason,
  TransactionInProgressException: conflictReason,
  ThrottlingError: 'too many requests',
};

/** Completes the message about a missing permission that DynamoDB does not name. */
const awsCall = { service: 'DynamoDB', action: 'what the table needs' };

/** Codes of a cancelled transaction that do not say that its table cannot be used. */
const harmless: ReadonlySet<string | undefined> = new Set([undefined, 'None', 'ConditionalCheckFailed']);

/** Why a transaction was cancelled, besides failed conditions: the first code. Undefined for any other error. */
const cancellation = (error: unknown): string | undefined =>
  error instanceof TransactionCanceledException
    ? error.CancellationReasons?.find(({ Code }) => !harmless.has(Code))?.Code
    : undefined;

const nameOf = (error: unknown): string => cancellation(error) ?? (error instanceof Error ? error.name : '');

/** Whether the SDK says of an error that the request may be repeated, such as for a write in another region. */
const isRetryable = (error: unknown): boolean =>
  error instanceof Error && '$retryable' in error && error.$retryable !== undefined;

const isTemporary = (error: unknown): boolean => {
  const status = statusOf(error) ?? 0;
  return (
    temporary.has(nameOf(error)) ||
    isRetryable(error) ||
    isConnectionError(error) ||
    isTlsError(error) ||
    status >= 500 ||
    status === 429
  );
};

const tableReason = (name: string, key: string): string | undefined => {
  if (Object.hasOwn(keyReasons, name)) return keyReasons[name]?.(key);
  return Object.hasOwn(tableReasons, name) ? tableReasons[name] : undefined;
};

const usersLayout: TableLayout = { partitionKey: keyAttribute };

const keyInWords = ({ partitionKey, sortKey }: TableLayout): string =>
  sortKey === undefined
    ? `${partitionKey} (S) alone`
    : `${partitionKey} (S) and the sort key ${sortKey} (S) for events`;

/**
 * The Fault for an error of the client at one of these tables. It leaves out the message of the error, which may quote an
 * item; the cause keeps it, for a debugger and for tests.
 */
export const toFault = (place: string, error: unknown, tables = [usersLayout]): Fault => {
  if (error instanceof Fault) return error;
  const name = nameOf(error);
  const known = tableReason(name, tables.map(keyInWords).join(', or '));
  const reason = known === undefined ? awsErrorReason(error, awsCall) : `${known} (${name})`;
  return new Fault(isTemporary(error) ? 'store_unavailable' : 'store_rejected', `${place}: ${reason}`, {
    cause: error,
  });
};

const temporaryCancellations = new Set(['TransactionConflict', 'ProvisionedThroughputExceeded', 'ThrottlingError']);

/**
 * Whether a write failed because of concurrent writes and may be repeated, which the client does not do itself. A
 * transaction is identified by its token; a single write may be repeated only if no earlier attempt is uncertain.
 */
export const isRepeatable = (error: unknown): boolean =>
  error instanceof TransactionCanceledException
    ? temporaryCancellations.has(nameOf(error))
    : nameOf(error) === 'TransactionConflictException' && !followsUncertainAttempt(error);
