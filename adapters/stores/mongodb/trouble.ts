import {
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb';
import { Fault, type FaultCode } from '../../../application/fault.ts';
import { UnreadableRecord } from './record.ts';

type Verdict = readonly [code: Extract<FaultCode, 'store_unavailable' | 'store_rejected'>, reason: string];

/** Names of the driver's errors that say nothing about the request: the same one may succeed later. */
const passingErrors = new Set([
  'MongoOperationTimeoutError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoServerClosedError',
  'MongoWaitQueueTimeoutError',
]);
const passingLabels = ['RetryableWriteError', 'SystemOverloadedError'];
// https://github.com/mongodb/mongo/blob/v6.0/src/mongo/base/error_codes.yml
const passingCodes = new Set([
  6, 7, 50, 63, 89, 91, 112, 133, 134, 150, 189, 262, 9001, 10058, 10107, 11600, 11602, 13388, 13435, 13436,
]);
const permanentCodes = new Set([13, 18, 20, 26, 79, 100, 121, 10334]);
const writeConcernTimeout = 64;

/** What operators call the codes that they meet when the service is set up. */
const plainWords: Readonly<Record<number, string>> = {
  13: 'the user of the connection string may not do that',
  18: 'authentication failed',
  50: 'the operation took too long',
  11000: 'users that share an address keep the unique index from being made',
};

/** A constant such as ECONNREFUSED or AuthenticationFailed, which can't hold a value. */
const constantOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_]{1,60}$/.test(value) ? value : undefined;

/** The system's or TLS's own code for a connection that failed, looked for in the causes of an error. */
const connectionCode = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  if (!(error instanceof MongoServerError) && 'code' in error && constantOf(error.code)) return constantOf(error.code);
  return connectionCode(error.cause);
};

/** Why a server can't be reached, in a few words. */
export const connectionReason = (error: unknown): string => {
  const code = connectionCode(error);
  return code === undefined ? 'the server can not be reached' : `the server can not be reached (${code})`;
};

/** What the driver met at the servers when none of them could be used. */
const causesOf = (error: MongoServerSelectionError): readonly Error[] =>
  [...(error.reason?.servers?.values() ?? [])].flatMap((server) => (server.error === null ? [] : [server.error]));

/** The refusal of a server behind a connection that failed: a wrong password looks like a lost connection at first. */
const refusalBehind = (error: unknown): MongoServerError | undefined => {
  if (error instanceof MongoServerError) return error;
  return error instanceof Error ? refusalBehind(error.cause) : undefined;
};

const verdictOfServer = (error: MongoServerError): Verdict => {
  const code = Number(error.code);
  if (error instanceof MongoWriteConcernError || code === writeConcernTimeout)
    return ['store_unavailable', 'a write was not confirmed by a majority; it may have been applied'];
  const known = plainWords[code] ?? 'the server refused';
  const reason = `${known} (${constantOf(error.codeName) ?? 'code'} ${error.code})`;
  const passing = passingCodes.has(code) || passingLabels.some((label) => error.hasErrorLabel(label));
  return [passing && !permanentCodes.has(code) ? 'store_unavailable' : 'store_rejected', reason];
};

const verdictOfConnection = (causes: readonly Error[]): Verdict => {
  const refusal = causes.map(refusalBehind).find((found) => found !== undefined);
  if (refusal !== undefined) return verdictOfServer(refusal);
  const [cause] = causes;
  return ['store_unavailable', cause === undefined ? 'no server that takes writes answered' : connectionReason(cause)];
};

const verdictOf = (error: unknown): Verdict => {
  if (error instanceof MongoServerError) return verdictOfServer(error);
  if (error instanceof MongoServerSelectionError) return verdictOfConnection(causesOf(error));
  if (error instanceof MongoNetworkError) return verdictOfConnection([error]);
  if (error instanceof UnreadableRecord) return ['store_rejected', error.message];
  const name = error instanceof Error ? error.name : 'an unknown error';
  if (error instanceof MongoError) {
    const passing = passingErrors.has(name) || passingLabels.some((label) => error.hasErrorLabel(label));
    return [passing ? 'store_unavailable' : 'store_rejected', name];
  }
  // The lookup of a `mongodb+srv` name fails with an error of the system.
  if (error instanceof Error && 'syscall' in error) return ['store_unavailable', connectionReason(error)];
  return ['store_rejected', name];
};

/**
 * The Fault for whatever the driver or the server threw. The texts of the cause are left out, because a server repeats
 * values and the driver repeats the connection string.
 */
export const faultOf = (database: string, error: unknown): Fault => {
  if (error instanceof Fault) return error;
  const [code, reason] = verdictOf(error);
  return new Fault(code, `database ${database}: ${reason}`);
};

/** Whether a write lost against another one at the same moment and was not applied. */
export const isWriteConflict = (error: unknown): boolean => error instanceof MongoServerError && error.code === 112;

/** The field whose unique index refused a write; undefined when that is not what happened. */
export const duplicatedField = (error: unknown): string | undefined => {
  if (!(error instanceof MongoServerError) || error.code !== 11000) return undefined;
  const pattern: unknown = error.errorResponse.keyPattern;
  // Servers that don't name the index have no other one that could refuse.
  return typeof pattern === 'object' && pattern !== null ? Object.keys(pattern)[0] : 'email';
};
