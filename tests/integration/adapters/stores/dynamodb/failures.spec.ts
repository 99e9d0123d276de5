import { expect } from 'chai';
import { Fault } from '../../../../../application/fault.ts';
import type { Taken } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { engine } from '../../../../support/engines/index.ts';
import { withAwsCredentials } from '../../../../support/environment.ts';
import { FreshTable } from './fresh-table.ts';
import {
  brokenResponse,
  cancelled,
  errorResponse,
  HttpFaultProxy,
  type InjectedFault,
  reset,
} from './http-fault-proxy.ts';

const ada = userOf('ada@example.com', { password: 'canary-password' });
const key = keyOf(ada.email.address);
const moved = { ...ada, email: { ...ada.email, address: addressOf('lovelace@example.com') } };

interface Row {
  readonly fault: InjectedFault;
  readonly code: 'store_unavailable' | 'store_rejected';
  /** The number of requests of one call, with its retries. */
  readonly requests: number;
}

const unavailable = (fault: InjectedFault, requests: number): Row => ({ fault, code: 'store_unavailable', requests });
const rejected = (fault: InjectedFault, requests = 1): Row => ({ fault, code: 'store_rejected', requests });
const leaking = { message: 'One of canary-password and ada@example.com is wrong' };

/** The response of DynamoDB to every attempt, the resulting Fault, and the number of attempts. */
const rows: Readonly<Record<string, Row>> = {
  ProvisionedThroughputExceededException: unavailable(errorResponse('ProvisionedThroughputExceededException'), 3),
  ThrottlingException: unavailable(errorResponse('ThrottlingException'), 3),
  RequestLimitExceeded: unavailable(errorResponse('RequestLimitExceeded'), 3),
  ReplicatedWriteConflictException: unavailable(errorResponse('ReplicatedWriteConflictException'), 3),
  InternalServerError: unavailable(errorResponse('InternalServerError', 500), 3),
  ServiceUnavailable: unavailable(errorResponse('ServiceUnavailable', 503), 3),
  'HTTP status 502 of a balancer': unavailable(async () => ({ status: 502, text: '<html>Bad gateway</html>' }), 3),
  'HTTP status 429 of a balancer': unavailable(async () => ({ status: 429, text: '{}' }), 3),
  'a connection that is reset': unavailable(reset, 3),
  'a response that breaks off': unavailable(brokenResponse, 3),
  'an empty success of a proxy': unavailable(async () => ({ status: 200, text: '' }), 3),
  'an empty object of another server': unavailable(async () => ({ status: 200, text: '{}' }), 3),
  'HTTP status 204 of another server': unavailable(async () => ({ status: 204, text: '' }), 3),
  ValidationException: rejected(errorResponse('ValidationException', 400, leaking)),
  SerializationException: rejected(errorResponse('SerializationException', 400, leaking)),
  AccessDeniedException: rejected(errorResponse('AccessDeniedException', 400, leaking)),
  UnrecognizedClientException: rejected(errorResponse('UnrecognizedClientException')),
  ExpiredTokenException: rejected(errorResponse('ExpiredTokenException')),
  ResourceNotFoundException: rejected(errorResponse('ResourceNotFoundException')),
  ItemCollectionSizeLimitExceededException: rejected(errorResponse('ItemCollectionSizeLimitExceededException')),
  IdempotentParameterMismatchException: rejected(errorResponse('IdempotentParameterMismatchException')),
  'an unknown error': rejected(errorResponse('SomethingNewException', 400, leaking)),
};

/** Why a transaction was cancelled, and the resulting outcome of a move. */
const cancellations: Readonly<Record<string, readonly [codes: readonly string[], outcome: string | Taken]>> = {
  'the new address is taken': [['ConditionalCheckFailed', 'None'], { taken: keyOf(moved.email.address) }],
  'the version is another': [['None', 'ConditionalCheckFailed'], 'stale'],
  'both, so that the caller has to be checked again first': [
    ['ConditionalCheckFailed', 'ConditionalCheckFailed'],
    'stale',
  ],
  'the throughput is used up': [['None', 'ProvisionedThroughputExceeded'], 'store_unavailable'],
  'requests come too fast': [['ThrottlingError', 'None'], 'store_unavailable'],
  'a value is wrong': [['ValidationError', 'None'], 'store_rejected'],
};

describe('the store on DynamoDB, with errors of DynamoDB', () => {
  const endpoint = engine('dynamodb');
  withAwsCredentials();
  const tables: FreshTable[] = [];
  const proxies: HttpFaultProxy[] = [];
  const failing = async (fault: InjectedFault) => {
    const proxy = await HttpFaultProxy.start(endpoint());
    const table = new FreshTable(endpoint());
    proxies.push(proxy);
    tables.push(table);
    proxy.every(fault);
    return { proxy, store: await table.open({ endpoint: proxy.endpoint }) };
  };
  after(async () => {
    await Promise.all(tables.map((table) => table.dispose()));
    await Promise.all(proxies.map((proxy) => proxy.close()));
  });

  const outcomes = new Map<string, { readonly faults: readonly unknown[]; readonly requests: readonly number[] }>();
  before('fail in every way at once', async function () {
    this.timeout(20_000);
    const fail = async (name: string, { fault }: Row): Promise<void> => {
      const faults: unknown[] = [];
      const requests: number[] = [];
      const { proxy, store } = await failing(fault);
      const previous = { user: ada, version: 'v' };
      for (const call of [() => store.find(key), () => store.insert(ada), () => store.remove(previous)]) {
        const count = proxy.seen.length;
        faults.push(await rejection(call()));
        requests.push(proxy.seen.length - count);
      }
      outcomes.set(name, { faults, requests });
    };
    await Promise.all(Object.entries(rows).map(([name, row]) => fail(name, row)));
  });

  for (const [name, { code, requests }] of Object.entries(rows)) {
    it(`throws ${code} after ${requests} attempts: ${name}`, () => {
      const outcome = outcomes.get(name);
      expect(outcome?.requests).to.deep.equal([requests, requests, requests]);
      for (const fault of outcome?.faults ?? []) {
        expect(fault).to.be.an.instanceOf(Fault).that.includes({ code });
        expect(fault)
          .to.have.property('message')
          .that.does.not.match(/canary|example\.com|\n/);
      }
    });
  }

  for (const [what, [codes, expected]] of Object.entries(cancellations)) {
    it(`results in ${typeof expected === 'string' ? expected : 'taken'} for a cancelled move: ${what}`, async () => {
      const { store } = await failing(cancelled(...codes));
      const outcome = await store.replace({ user: ada, version: 'v' }, moved).catch((fault: Fault) => fault.code);
      expect(outcome).to.deep.equal(expected);
    });
  }
});
