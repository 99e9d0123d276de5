import Database from 'better-sqlite3';
import { expect } from 'chai';
import { steps } from '../../../../../adapters/stores/sqlite/sqlite-schema.ts';
import { columnOf, decoySql, selectUserSql } from '../../../../../adapters/stores/sqlite/sqlite-user-table.ts';
import { userFields } from '../../../../../domain/user-fields.ts';

describe('the table of users', () => {
  const file = new Database(':memory:');
  before(() => {
    for (const { sql } of steps) file.exec(sql);
  });
  after(() => file.close());

  it('has a column for each field of a user, and a key, a version and names', () => {
    const columns = file.prepare<[], string>("SELECT name FROM pragma_table_info('users')").pluck().all();
    expect(columns).to.have.members(['key', 'version', 'names', ...userFields.map(columnOf)]);
  });

  it('and the decoy have the same number of columns', () => {
    const widthOf = (sql: string): number => file.prepare(sql).columns().length;
    for (const hasNames of [false, true]) expect(widthOf(decoySql(hasNames))).to.equal(widthOf(selectUserSql));
  });
});
