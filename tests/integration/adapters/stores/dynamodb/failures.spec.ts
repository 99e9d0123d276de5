import { expect } from 'chai';
import { Fault } from '../../../../../application/fault.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../../support/arbitraries.ts';
import { engine } from '../../../../support/engines/index.ts';
import { rejection } from '../../../../support/outcomes.ts';
import { Between, cancelled, type Mishap, refusal, reset } from './between.ts';
import { FreshTable, withCredentials } from './fresh-table.ts';

const ada = userOf('ada@example.com', { password: 'canary-password' });
const key = keyOf(ada.email.address);
const moved = { ...ada, email: { ...ada.email, address: addressOf('lovelace@example.com') } };

interface Row {
  readonly mishap: Mishap;
  readonly code: 'store_unavailable' | 'store_rejected';
  /** Every attempt counts. */
  readonly requests: number;
}

const unavailable = (mishap: Mishap, requests: number): Row => ({ mishap, code: 'store_unavailable', requests });
const rejected = (mishap: Mishap, requests = 1): Row => ({ mishap, code: 'store_rejected', requests });
const leaking = { message: 'One of canary-password and ada@example.com is wrong' };

/** What DynamoDB answers each time, what callers are told, and after how many attempts. */
const rows: Readonly<Record<string, Row>> = {
  ProvisionedThroughputExceededException: unavailable(refusal('ProvisionedThroughputExceededException'), 3),
  ThrottlingException: unavailable(refusal('ThrottlingException'), 3),
  RequestLimitExceeded: unavailable(refusal('RequestLimitExceeded'), 3),
  InternalServerError: unavailable(refusal('InternalServerError', 500), 3),
  ServiceUnavailable: unavailable(refusal('ServiceUnavailable', 503), 3),
  'HTTP status 502 of a balancer': unavailable(async () => ({ status: 502, text: '<html>Bad gateway</html>' }), 3),
  'HTTP status 429 of a balancer': unavailable(async () => ({ status: 429, text: '{}' }), 3),
  'a connection that is reset': unavailable(reset, 3),
  ValidationException: rejected(refusal('ValidationException', 400, leaking)),
  SerializationException: rejected(refusal('SerializationException', 400, leaking)),
  AccessDeniedException: rejected(refusal('AccessDeniedException', 400, leaking)),
  UnrecognizedClientException: rejected(refusal('UnrecognizedClientException')),
  ExpiredTokenException: rejected(refusal('ExpiredTokenException')),
  ResourceNotFoundException: rejected(refusal('ResourceNotFoundException')),
  ItemCollectionSizeLimitExceededException: rejected(refusal('ItemCollectionSizeLimitExceededException')),
  IdempotentParameterMismatchException: rejected(refusal('IdempotentParameterMismatchException')),
  'an error that nobody knows': rejected(refusal('SomethingNewException', 400, leaking)),
};

/** Why a transaction was cancelled, and what callers of a move are told. */
const cancellations: Readonly<Record<string, readonly [codes: readonly string[], outcome: string]>> = {
  'the new address is taken': [['ConditionalCheckFailed', 'None'], 'taken'],
  'the version is another': [['None', 'ConditionalCheckFailed'], 'stale'],
  'both, so that the caller has to be checked again first': [
    ['ConditionalCheckFailed', 'ConditionalCheckFailed'],
    'stale',
  ],
  'the throughput is used up': [['None', 'ProvisionedThroughputExceeded'], 'store_unavailable'],
  'requests come too fast': [['ThrottlingError', 'None'], 'store_unavailable'],
  'a value is wrong': [['ValidationError', 'None'], 'store_rejected'],
};

describe('the store on DynamoDB, when DynamoDB refuses', () => {
  const endpoint = engine('dynamodb');
  withCredentials();
  const tables: FreshTable[] = [];
  const betweens: Between[] = [];
  const failing = async (mishap: Mishap) => {
    const between = await Between.start(endpoint());
    const table = new FreshTable(endpoint());
    betweens.push(between);
    tables.push(table);
    between.every(mishap);
    return { between, store: await table.open({ endpoint: between.endpoint }) };
  };
  after(async () => {
    await Promise.all(tables.map((table) => table.dispose()));
    await Promise.all(betweens.map((between) => between.close()));
  });

  const outcomes = new Map<string, { readonly faults: readonly unknown[]; readonly requests: readonly number[] }>();
  before('fail in every way at once', async function () {
    this.timeout(20_000);
    const fail = async (name: string, { mishap }: Row): Promise<void> => {
      const faults: unknown[] = [];
      const requests: number[] = [];
      const { between, store } = await failing(mishap);
      const previous = { user: ada, version: 'v' };
      for (const call of [() => store.find(key), () => store.insert(ada), () => store.remove(previous)]) {
        const count = between.seen.length;
        faults.push(await rejection(call()));
        requests.push(between.seen.length - count);
      }
      outcomes.set(name, { faults, requests });
    };
    await Promise.all(Object.entries(rows).map(([name, row]) => fail(name, row)));
  });

  for (const [name, { code, requests }] of Object.entries(rows)) {
    it(`tells ${code} after ${requests} attempts: ${name}`, () => {
      const outcome = outcomes.get(name);
      expect(outcome?.requests).to.deep.equal([requests, requests, requests]);
      for (const fault of outcome?.faults ?? []) {
        expect(fault).to.be.an.instanceOf(Fault).that.includes({ code });
        expect(fault).to.have.property('cause', undefined);
        expect(fault)
          .to.have.property('message')
          .that.does.not.match(/canary|example\.com|\n/);
      }
    });
  }

  for (const [what, [codes, expected]] of Object.entries(cancellations)) {
    it(`tells ${expected} of a cancelled move: ${what}`, async () => {
      const { store } = await failing(cancelled(...codes));
      const outcome = await store.replace({ user: ada, version: 'v' }, moved).catch((fault: Fault) => fault.code);
      expect(outcome).to.equal(expected);
    });
  }
});
