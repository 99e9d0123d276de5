import type { UserStore } from '../../../../../application/ports/user-store.ts';
import { engine } from '../../../../support/engines/index.ts';
import { withAwsCredentials } from '../../../../support/environment.ts';
import { FreshTable } from './fresh-table.ts';
import { HttpFaultProxy } from './http-fault-proxy.ts';

/** A table with two stores: one behind a proxy that injects faults, and one that is connected directly. */
export interface StoreFixture {
  readonly table: FreshTable;
  readonly proxy: HttpFaultProxy;
  /** The store under test; its requests pass `proxy`. */
  readonly store: UserStore;
  /** The store of another instance of the service on the same table. */
  readonly other: UserStore;
}

/** Registers hooks that create and remove a fixture for each test of the enclosing suite. */
export const useStoreFixture = (operationTimeoutMs = 30_000): (() => StoreFixture) => {
  const endpoint = engine('dynamodb');
  withAwsCredentials();
  let fixture: StoreFixture | undefined;

  beforeEach(async () => {
    const table = await (await FreshTable.create(endpoint())).createForEvents();
    const proxy = await HttpFaultProxy.start(endpoint());
    const store = await table.open({ endpoint: proxy.endpoint, operationTimeoutMs });
    fixture = { table, proxy, store, other: await table.open() };
  });
  afterEach(async () => {
    await fixture?.table.dispose();
    await fixture?.proxy.close();
    fixture = undefined;
  });

  return () => {
    if (fixture === undefined) throw new Error('the fixture exists in hooks and tests only');
    return fixture;
  };
};
