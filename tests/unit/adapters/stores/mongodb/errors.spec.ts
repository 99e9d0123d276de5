import { expect } from 'chai';
import {
  BSON,
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoOperationTimeoutError,
  MongoParseError,
  MongoServerClosedError,
  MongoServerError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from 'mongodb';
import { isDuplicateKey, isUnconfirmed, toFault } from '../../../../../adapters/stores/mongodb/errors.ts';
import { UnreachableDatabase } from '../../../../../adapters/stores/mongodb/reachability.ts';

const canary = 'mongodb://owner:canary@host/';

/** An error of the server as the driver makes it from a reply. */
const reply = (code: number, labels: readonly string[] = []): MongoServerError =>
  new MongoServerError({ message: canary, errmsg: canary, code, codeName: 'SomeCode', errorLabels: [...labels] });

/** An error that the driver doesn't export. */
const named = (name: string): MongoError => Object.defineProperty(new MongoError(canary), 'name', { value: name });

const systemError = Object.assign(new Error(canary), { code: 'ENOTFOUND', syscall: 'querySrv' });

const unavailable: readonly (readonly [string, unknown])[] = [
  ...[6, 7, 50, 63, 64, 89, 91, 112, 133, 134, 150, 189, 262, 9001, 10058, 10107, 11600, 11602].map(
    (code) => [`code ${code}`, reply(code)] as const,
  ),
  ...[43, 175, 237, 279, 11601, 13388, 13435, 13436, 14031].map((code) => [`code ${code}`, reply(code)] as const),
  ...[24, 117, 202, 217, 225, 239, 246, 249, 250, 251, 267, 272, 281, 282, 290, 343, 363, 365, 388].map(
    (code) => [`code ${code} of a sharded cluster`, reply(code)] as const,
  ),
  ['label TransientTransactionError', reply(999, ['TransientTransactionError'])],
  ['label UnknownTransactionCommitResult', reply(999, ['UnknownTransactionCommitResult'])],
  ['label RetryableWriteError', reply(999, ['RetryableWriteError'])],
  ['label SystemOverloadedError', reply(999, ['SystemOverloadedError'])],
  [
    'a write concern that was not met, whatever its code',
    new MongoWriteConcernError({ ok: 1, writeConcernError: { code: 100, errmsg: canary } }),
  ],
  ['a network error', new MongoNetworkError(canary)],
  ['a network timeout', new MongoNetworkTimeoutError(canary)],
  ['an operation timeout', new MongoOperationTimeoutError(canary)],
  ['a closed topology', new MongoTopologyClosedError(canary)],
  ['a closed server', new MongoServerClosedError(canary)],
  ['a closed client', new MongoClientClosedError()],
  ['no free connection', named('MongoWaitQueueTimeoutError')],
  ['no connection yet', named('MongoNotConnectedError')],
  ['a name that is not resolved', systemError],
  ['an error of Node.js without a system call', Object.assign(new Error(canary), { code: 'ERR_STREAM_DESTROYED' })],
  ['a bare error', new Error(canary)],
  ['errors of several addresses', new AggregateError([systemError], canary)],
  ['a response that the driver does not understand', named('MongoUnexpectedServerResponseError')],
];

const rejected: readonly (readonly [string, unknown])[] = [
  ...[13, 18, 20, 26, 61, 67, 79, 100, 121, 10334, 999].map((code) => [`code ${code}`, reply(code)] as const),
  ...[13, 18, 20, 26, 61, 67, 79, 100, 121, 10334].map(
    (code) => [`code ${code}, whatever its labels`, reply(code, ['RetryableWriteError'])] as const,
  ),
  ['a connection that was refused for good', new MongoNetworkError(canary, { cause: reply(18) })],
  ['a wrong argument', new MongoInvalidArgumentError(canary)],
  ['a wrong connection string', new MongoParseError(canary)],
  ['a value that BSON has not', new BSON.BSONError(canary)],
  ['a bug', new TypeError(canary)],
  ['a bug in an index or a size', new RangeError(canary)],
  ['a bug in a name', new ReferenceError(canary)],
  ['no error at all', canary],
];

describe('MongoDB: what an error of the driver means', () => {
  for (const [code, errors] of [
    ['store_unavailable', unavailable],
    ['store_rejected', rejected],
  ] as const) {
    for (const [what, error] of errors) {
      it(`${code}: ${what}`, () => {
        const fault = toFault('accounts', error);
        expect(fault.code).to.equal(code);
        expect(fault.message)
          .to.match(/^database accounts: ./)
          .and.not.include('canary');
        expect(fault.cause, 'what authors debug with').to.equal(
          error instanceof UnreachableDatabase ? undefined : error,
        );
      });
    }
  }

  it('takes a shard that still has a copy of a user for a passing failure, and not for a taken address', () => {
    const leftCopy = new MongoServerError({ message: canary, code: 11000, keyPattern: { _id: 1 } });
    expect(isDuplicateKey(leftCopy)).to.equal(false);
    expect(toFault('accounts', leftCopy)).to.include({ code: 'store_unavailable' });
    expect(isDuplicateKey(new MongoServerError({ message: canary, code: 11000, keyPattern: { email: 1 } }))).to.equal(
      true,
    );
    expect(isDuplicateKey(reply(11000))).to.equal(true);
  });

  it('reads the error of the server that the driver replaces by its own', () => {
    const replaced = new MongoServerError({ message: canary, originalError: reply(20) });
    expect(toFault('accounts', replaced).message).to.match(/got retryWrites=false \(SomeCode 20\)$/);
  });

  it('says that a write may have been applied when no majority confirmed it', () => {
    expect(toFault('accounts', reply(64)).message).to.match(/may have been applied/);
  });

  it('says so of a command with two statements, too, also if the primary was replaced meanwhile', () => {
    const error = new MongoBulkWriteError(
      { message: canary, code: 11602 },
      Object.assign(Object.create(null), { getWriteConcernError: () => ({ code: 11602 }) }),
    );
    expect(toFault('accounts', error).message).to.match(/may have been applied/);
    expect(isUnconfirmed(error)).to.equal(true);
  });

  it('reports the state of the servers if the driver only reports that it has no connection', () => {
    const known = new UnreachableDatabase('the replica set has no primary');
    for (const error of [named('MongoWaitQueueTimeoutError'), new MongoNetworkError(canary)])
      expect(toFault('accounts', error, known).message).to.equal('database accounts: the replica set has no primary');
    expect(toFault('accounts', reply(50), known).message).to.match(/took too long/);
    expect(toFault('accounts', new MongoTopologyClosedError(canary), reply(18)).code).to.equal('store_rejected');
  });

  it('describes a pool without a free connection', () => {
    expect(toFault('accounts', named('MongoWaitQueueTimeoutError')).message).to.match(/no connection came free/);
  });

  it('repeats no text of a server, nor a code name that is not one', () => {
    const odd = new MongoServerError({ message: canary, code: 1, codeName: `odd ${canary}` });
    expect(toFault('accounts', odd).message).to.equal('database accounts: the server refused (code 1)');
    const nameless = new MongoServerError({ message: canary });
    expect(toFault('accounts', nameless).message).to.equal('database accounts: the server refused (no code)');
  });
});
