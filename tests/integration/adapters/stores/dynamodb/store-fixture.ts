import type { UserStore } from '../../../../../application/ports/user-store.ts';
import { engine } from '../../../../support/engines/index.ts';
import { withAwsCredentials } from '../../../../support/environment.ts';
import { FreshTable } from './fresh-table.ts';
import { HttpFaultProxy } from './http-fault-proxy.ts';

/** The names of tables that no test has used, and a proxy that injects faults. */
export interface TableFixture {
  readonly table: FreshTable;
  readonly proxy: HttpFaultProxy;
}

/** A table with two stores: one behind the proxy, and one that is connected directly. */
export interface StoreFixture extends TableFixture {
  /** The store under test; its requests pass `proxy`. */
  readonly store: UserStore;
  /** The store of another instance of the service on the same table. */
  readonly other: UserStore;
}

const useFixture = <Fixture extends TableFixture>(complete: (fixture: TableFixture) => Promise<Fixture>) => {
  const endpoint = engine('dynamodb');
  withAwsCredentials();
  let fixture: Fixture | undefined;
  beforeEach(async () => {
    fixture = await complete({ table: new FreshTable(endpoint()), proxy: await HttpFaultProxy.start(endpoint()) });
  });
  afterEach(async () => {
    await fixture?.table.dispose();
    await fixture?.proxy.close();
    fixture = undefined;
  });
  return (): Fixture => {
    if (fixture === undefined) throw new Error('the fixture exists in hooks and tests only');
    return fixture;
  };
};

/** Registers hooks that prepare a fixture for each test of the enclosing suite, and remove its tables. */
export const useTableFixture = (): (() => TableFixture) => useFixture(async (fixture) => fixture);

/** Like `useTableFixture`, with the tables of users and events, and two stores. */
export const useStoreFixture = (operationTimeoutMs = 30_000): (() => StoreFixture) =>
  useFixture(async ({ table, proxy }) => {
    await table.createForUsers();
    await table.createForEvents();
    const store = await table.open({ endpoint: proxy.endpoint, operationTimeoutMs });
    return { table, proxy, store, other: await table.open() };
  });
