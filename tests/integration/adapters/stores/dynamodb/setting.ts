import type { UserStore } from '../../../../../application/ports/user-store.ts';
import { engine } from '../../../../support/engines/index.ts';
import { Between } from './between.ts';
import { FreshTable, withCredentials } from './fresh-table.ts';

/** What most tests of the store need: a table, a store on it that runs into mishaps, and one that doesn't. */
export interface Setting {
  readonly table: FreshTable;
  readonly between: Between;
  /** The store under test; its requests pass `between`. */
  readonly store: UserStore;
  /** Another instance of the service, at work on the same table. */
  readonly other: UserStore;
}

/** Makes a new setting for each test of the suite that this is called in. */
export const settings = (operationTimeoutMs = 30_000): (() => Setting) => {
  const endpoint = engine('dynamodb');
  withCredentials();
  let setting: Setting | undefined;

  beforeEach(async () => {
    const table = await (await FreshTable.create(endpoint())).createForEvents();
    const between = await Between.start(endpoint());
    const store = await table.open({ endpoint: between.endpoint, operationTimeoutMs });
    setting = { table, between, store, other: await table.open() };
  });
  afterEach(async () => {
    await setting?.table.dispose();
    await setting?.between.close();
    setting = undefined;
  });

  return () => {
    if (setting === undefined) throw new Error('a setting is there in hooks and tests only');
    return setting;
  };
};
