import type { UserStore } from '../../../application/ports/user-store.ts';
import { FreshTable, region } from '../../integration/adapters/stores/dynamodb/fresh-table.ts';
import { ScratchDatabase } from '../../integration/adapters/stores/mongodb/scratch-database.ts';
import { ScratchSchema } from '../../integration/adapters/stores/postgresql/scratch-schema.ts';
import { TemporaryDatabase } from '../../integration/adapters/stores/sqlite/temporary-database.ts';
import { engine } from '../../support/engines/index.ts';
import { withAwsCredentials } from '../../support/environment.ts';
import { postgresqlUrl } from '../../support/postgresql/index.ts';

/** An empty database: the block `database` of a configuration, and a store for a look behind the commands. */
export interface OpenedStore {
  readonly block: Readonly<Record<string, unknown>>;
  readonly store: UserStore;
  dispose(): Promise<void>;
}

/** Declares the same tests on every store. */
export const onEachStore = (declare: (name: string, open: () => Promise<OpenedStore>) => void): void => {
  declare('SQLite', async () => {
    const database = await TemporaryDatabase.create();
    const store = await database.open();
    return { block: { type: 'sqlite', path: database.path }, store, dispose: () => database.dispose() };
  });

  describe('on MongoDB', () => {
    const uri = engine('mongodb');
    declare('MongoDB', async () => {
      const database = new ScratchDatabase(uri());
      const block = { type: 'mongodb', ...database.block };
      return { block, store: await database.open(), dispose: () => database.dispose() };
    });
  });

  describe('on PostgreSQL', () => {
    const url = postgresqlUrl();
    declare('PostgreSQL', async () => {
      const scratch = await ScratchSchema.create(url());
      return { block: scratch.block, store: (await scratch.open()).users, dispose: () => scratch.dispose() };
    });
  });

  describe('on DynamoDB', () => {
    const endpoint = engine('dynamodb');
    withAwsCredentials();
    declare('DynamoDB', async () => {
      const table = await FreshTable.create(endpoint());
      const block = { type: 'dynamodb', endpoint: endpoint(), region, tableName: table.name };
      return { block, store: await table.open(), dispose: () => table.dispose() };
    });
  });
};
