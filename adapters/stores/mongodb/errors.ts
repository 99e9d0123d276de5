import {
  BSON,
  MongoAPIError,
  MongoBulkWriteError,
  MongoError,
  MongoMissingDependencyError,
  MongoNetworkError,
  MongoParseError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb';
import { Fault, type FaultCode } from '../../../application/fault.ts';
import { causesOf, connectionReason, constantOf, missingPackage, UnreachableDatabase } from './reachability.ts';

type Verdict = readonly [code: Extract<FaultCode, 'store_unavailable' | 'store_rejected'>, reason: string];

/** Errors of the driver after which the same request may succeed later. */
const temporaryErrors: Readonly<Record<string, string>> = {
  MongoOperationTimeoutError: 'the operation took too long',
  MongoNotConnectedError: 'there is no connection yet',
  MongoTopologyClosedError: 'the connection was closed',
  MongoClientClosedError: 'the connection was closed',
  MongoServerClosedError: 'the connection was closed',
  MongoWaitQueueTimeoutError: 'no connection came free: the server does not answer, or maxPoolSize is too small',
};
const permanentErrors: Readonly<Record<string, string>> = {
  MongoCompatibilityError: 'the server does not support what the driver or the connection string asks for',
};
const temporaryLabels = [
  'RetryableWriteError',
  'SystemOverloadedError',
  'TransientTransactionError',
  'UnknownTransactionCommitResult',
];
// https://github.com/mongodb/mongo/blob/v6.0/src/mongo/base/error_codes.yml
const temporaryCodes = new Set([
  6, 7, 50, 63, 89, 91, 112, 133, 134, 150, 189, 262, 9001, 10058, 10107, 11600, 11602, 13388, 13435, 13436,
  // An administrator, or a change of the collection, has ended the operation or its cursor; or the disk is full.
  43, 175, 237, 279, 11601, 14031,
  // Codes of a transaction between shards, with which a sharded cluster changes an address, and of a chunk that is
  // being moved.
  24, 117, 202, 217, 225, 239, 246, 249, 250, 251, 267, 272, 281, 282, 290, 343, 363, 365, 388,
]);
const permanentCodes = new Set([13, 18, 20, 26, 61, 67, 79, 100, 121, 10334]);
const writeConcernTimeoutCode = 64;

/** Why a collection takes no writes whose index is not unique. */
export const otherIndex =
  'the index on email is not the required unique index of all users, or that on names not a sparse unique one';

const otherShardKey =
  'the collection is sharded by another field than its unique index needs: email for users, key for counters';

/** Explanations of codes for operators. */
const explanations: Readonly<Record<number, string>> = {
  2: 'the server refused; it may keep no journal, without which nothing is durable, or the unique index may be hidden',
  13: 'the connection string needs a user with the role readWrite on the database',
  18: 'authentication failed: the user, its password or authSource is wrong',
  20: 'the server does not support retryable writes; or a sharded cluster, which needs them to change an address, got retryWrites=false',
  27: 'the index on email is missing, or another one has the same fields',
  50: 'the operation took too long',
  61: otherShardKey,
  67: otherShardKey,
  85: otherIndex,
  86: otherIndex,
  189: 'the server is not the primary any more',
  217: 'the reply to a change of address was lost; it may have been applied',
  10107: 'the server is not the primary',
  11000: 'the unique index cannot be created, because users share an address or a name',
  11602: 'the server is not the primary any more',
  13435: 'the server is not the primary',
};

/** Whether the primary applied a write, but a majority did not confirm it in time. */
export const isUnconfirmed = (error: unknown): boolean =>
  error instanceof MongoServerError &&
  (error instanceof MongoWriteConcernError ||
    error.code === writeConcernTimeoutCode ||
    (error instanceof MongoBulkWriteError && error.result.getWriteConcernError() !== undefined));

const isTemporary = (error: MongoError): boolean => temporaryLabels.some((label) => error.hasErrorLabel(label));

/**
 * Whether an orphaned document, not a taken address, caused a duplicate key: a shard keeps its copy of a document that
 * moved away for 15 minutes or longer, and a new address moves the document back.
 */
const isOrphan = ({ code, keyPattern }: MongoServerError): boolean => code === 11000 && keyPattern?._id !== undefined;

const verdictOfServer = (error: MongoServerError): Verdict => {
  if (isOrphan(error))
    return ['store_unavailable', 'a shard has not yet deleted its old copy of a user that moved to another shard'];
  if (isUnconfirmed(error))
    return ['store_unavailable', 'a write was not confirmed by a majority; it may have been applied'];
  const code = typeof error.code === 'number' ? error.code : undefined;
  const known = (code === undefined ? undefined : explanations[code]) ?? 'the server refused';
  const label = [constantOf(error.codeName) ?? (code === undefined ? 'no code' : 'code'), code ?? ''].join(' ').trim();
  const passing = (code !== undefined && temporaryCodes.has(code)) || isTemporary(error);
  const permanent = code !== undefined && permanentCodes.has(code);
  return [passing && !permanent ? 'store_unavailable' : 'store_rejected', `${known} (${label})`];
};

/** The error of the server, which the driver replaces by one of its own for IllegalOperation (20) of a write. */
const originalOf = (error: MongoServerError): MongoServerError =>
  error.originalError instanceof MongoServerError ? error.originalError : error;

const rejections = [
  MongoAPIError,
  MongoParseError,
  BSON.BSONError,
  TypeError,
  RangeError,
  ReferenceError,
  SyntaxError,
  EvalError,
  URIError,
];

/** Whether an error is about a value or a call that the driver does not accept, or one that JavaScript throws for a bug. */
export const isRejection = (error: unknown): boolean => rejections.some((type) => error instanceof type);

const verdictOfDriver = (error: MongoError): Verdict => {
  const words = temporaryErrors[error.name];
  if (words !== undefined || isTemporary(error)) return ['store_unavailable', words ?? 'the database is overloaded'];
  return isRejection(error)
    ? ['store_rejected', permanentErrors[error.name] ?? `the driver refused (${error.name})`]
    : ['store_unavailable', `the driver failed (${error.name})`];
};

/** Whether an error only reports a missing connection; the state of the servers then gives the reason. */
const isAboutConnection = (error: unknown): boolean =>
  error instanceof MongoServerSelectionError ||
  error instanceof MongoNetworkError ||
  (error instanceof MongoError && temporaryErrors[error.name] !== undefined);

/** The errors of the servers when none of them could be used. */
const errorsOfServers = (error: MongoServerSelectionError): readonly Error[] =>
  [...(error.reason?.servers?.values() ?? [])].flatMap((server) => (server.error === null ? [] : [server.error]));

const verdictOf = (error: unknown, unreachable: Error | undefined): Verdict => {
  if (error instanceof UnreachableDatabase) return ['store_unavailable', error.message];
  const causes = (error instanceof MongoServerSelectionError ? errorsOfServers(error) : [error]).flatMap(causesOf);
  // The driver wraps the refusal of a wrong password in an error about the connection.
  const refusal = causes.find((cause) => cause instanceof MongoServerError);
  if (refusal !== undefined) return verdictOfServer(originalOf(refusal));
  const missing = causes.find((cause) => cause instanceof MongoMissingDependencyError);
  if (missing !== undefined) return ['store_rejected', missingPackage(missing)];
  if (unreachable !== undefined && isAboutConnection(error)) return verdictOf(unreachable, undefined);
  if (error instanceof MongoServerSelectionError && causes.length === 0)
    return ['store_unavailable', 'no server that takes writes answered; is it MongoDB that listens there?'];
  if (error instanceof MongoServerSelectionError || error instanceof MongoNetworkError)
    return ['store_unavailable', `the server ${connectionReason(causes[0])}`];
  if (error instanceof MongoError) return verdictOfDriver(error);
  // The driver passes on errors of Node.js, such as those of a name lookup and of a write to a closed socket.
  if (error instanceof Error && !isRejection(error))
    return ['store_unavailable', `the server ${connectionReason(error)}`];
  return ['store_rejected', error instanceof Error ? error.name : 'an unknown error'];
};

/**
 * The Fault for an error of the driver or the server. It leaves out their messages, because a server repeats values and
 * the driver repeats the connection string; the cause keeps them, for a debugger and for tests. `unreachable` is the
 * reason why no server takes writes, if one is known.
 */
export const toFault = (database: string, error: unknown, unreachable?: Error): Fault => {
  if (error instanceof Fault) return error;
  const [code, reason] = verdictOf(error, unreachable);
  return new Fault(code, `database ${database}: ${reason}`, {
    // The text of this error is the reason.
    cause: error instanceof UnreachableDatabase ? undefined : error,
  });
};

/** Whether a write was not applied because of a concurrent one. */
export const isWriteConflict = (error: unknown): boolean => error instanceof MongoServerError && error.code === 112;

/** Whether the server may have refused a command because it names a missing index; there is no code for this alone. */
export const isMissingIndex = (error: unknown): boolean => error instanceof MongoServerError && error.code === 2;

/** Whether a validator of the collection refused a change, which depends on the document (DocumentValidationFailure). */
export const isInvalidDocument = (error: unknown): boolean => error instanceof MongoServerError && error.code === 121;

/** Whether an index cannot be created because of a damaged document with two lists (CannotIndexParallelArrays). */
export const isUnindexable = (error: unknown): boolean => error instanceof MongoServerError && error.code === 171;

/** Whether a unique index refused a write. */
export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === 11000 && !isOrphan(error);

/**
 * Whether a failed read may succeed when it is repeated: the connection broke, or the server is no longer the primary
 * (retryable reads of the specification of MongoDB drivers).
 */
export const isRepeatableRead = (error: unknown): boolean =>
  error instanceof MongoNetworkError ||
  (error instanceof Error && !(error instanceof MongoError) && !isRejection(error)) ||
  (error instanceof MongoServerError && typeof error.code === 'number' && temporaryCodes.has(error.code));
