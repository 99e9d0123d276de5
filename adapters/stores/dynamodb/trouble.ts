import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';

// DynamoDB developer guide, "Error handling with DynamoDB". Whatever is in neither list is a rejection.
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
// A refused connection is an Error by name: only its code tells what it is. The last ones are of TLS.
const passingCode =
  /^(ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPROTO)$|CERT|TLS|SSL/;

const reasons: Readonly<Record<string, string>> = {
  ResourceNotFoundException:
    'there is no such table in this region; create it with the partition key email (S), or write createTable: true',
  ValidationException: 'the request does not suit the table, whose key has to be email (S) alone',
  UnrecognizedClientException: 'the credentials are not known',
  ExpiredTokenException: 'the credentials have expired',
  InvalidSignatureException: 'the secret key is wrong, or the region is not the one of the endpoint',
  CredentialsProviderError: 'no credentials are found',
  TimeoutError: 'no answer in time',
  AbortError: 'no answer in time',
};

interface Details {
  readonly name: string;
  readonly code: string | undefined;
  readonly status: number | undefined;
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** The HTTP status of the answer behind an error; undefined when there was none. */
export const statusOf = (error: unknown): number | undefined => {
  const status = member(member(error, '$metadata'), 'httpStatusCode');
  return typeof status === 'number' ? status : undefined;
};

const cancellation = (error: unknown): string | undefined =>
  error instanceof TransactionCanceledException
    ? error.CancellationReasons?.find(({ Code }) => Code !== undefined && Code !== 'None')?.Code
    : undefined;

const detailsOf = (error: unknown): Details => {
  const code = member(error, 'code');
  const name = cancellation(error) ?? (error instanceof Error ? error.name : 'an unknown error');
  return { name, code: typeof code === 'string' ? code : undefined, status: statusOf(error) };
};

/** The permission that is missing, which is all of the message that is passed on: the rest names accounts and people. */
const denied = (error: unknown): string => {
  const [action = 'the table'] = (error instanceof Error && /dynamodb:\w+/.exec(error.message)) || [];
  return `access denied: the credentials do not allow ${action}`;
};

const reasonOf = ({ name, code, status }: Details, error: unknown): string => {
  if (name === 'AccessDeniedException') return `${denied(error)} (${name})`;
  if (code !== undefined && passingCode.test(code) && code !== 'ETIMEDOUT') return `it can't be reached (${code})`;
  const reason = Object.hasOwn(reasons, name) ? `${reasons[name]} (${name})` : name;
  return status !== undefined && status >= 500 ? `${reason}, HTTP status ${status}` : reason;
};

const isPassing = ({ name, code, status }: Details): boolean =>
  passing.has(name) ||
  (code !== undefined && passingCode.test(code)) ||
  (status !== undefined && (status >= 500 || status === 429));

/**
 * The Fault that tells callers and operators about what the client threw. Its message never repeats the client's,
 * which may quote an item.
 */
export const faultOf = (place: string, error: unknown): Fault => {
  if (error instanceof Fault) return error;
  const details = detailsOf(error);
  const code = isPassing(details) ? 'store_unavailable' : 'store_rejected';
  return new Fault(code, `${place}: ${reasonOf(details, error)}`);
};

/** Whether another transaction held an item: the client doesn't try again by itself, and nothing was written. */
export const isCollision = (error: unknown): boolean => /^TransactionConflict(Exception)?$/.test(detailsOf(error).name);
