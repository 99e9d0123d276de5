import { expect } from 'chai';
import { columns, nobodysRow } from '../../../../../adapters/stores/sqlite/row.ts';
import { userStoreContract } from '../../../../../sdk/contract/user-store.ts';
import { silent, TemporaryDatabase } from './temporary-database.ts';

userStoreContract('sqlite, where nobody takes as long to find as somebody', async () => {
  const database = await TemporaryDatabase.create();
  return { store: await database.openPorts(undefined, silent, true), dispose: () => database.dispose() };
});

describe('the row that is read where there is nobody', () => {
  it('has every column of a user, and a version', () => {
    expect(nobodysRow.split(', ')).to.have.length(columns.split(', ').length + 1);
  });
});
