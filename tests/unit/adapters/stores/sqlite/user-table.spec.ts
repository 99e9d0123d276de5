import Database from 'better-sqlite3';
import { expect } from 'chai';
import { steps } from '../../../../../adapters/stores/sqlite/schema.ts';
import { columnOf, selectDecoySql, selectUserSql } from '../../../../../adapters/stores/sqlite/user-table.ts';
import { userFields } from '../../../../../domain/user-fields.ts';

describe('the table of users', () => {
  const file = new Database(':memory:');
  before(() => {
    for (const { sql } of steps) file.exec(sql);
  });
  after(() => file.close());

  it('has a column for each field of a user, and a key and a version', () => {
    const columns = file.prepare<[], string>("SELECT name FROM pragma_table_info('users')").pluck().all();
    expect(columns).to.have.members(['key', 'version', ...userFields.map(columnOf)]);
  });

  it('and the decoy have the same number of columns', () => {
    const widthOf = (sql: string): number => file.prepare(sql).columns().length;
    expect(widthOf(selectDecoySql)).to.equal(widthOf(selectUserSql));
  });
});
