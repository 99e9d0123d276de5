import Database from 'better-sqlite3';
import { expect } from 'chai';
import { isUniqueViolation, troubleOf, UnsuitableFile } from '../../../../../adapters/stores/sqlite/errors.ts';

const thrown = (code: string): Error => new Database.SqliteError('what SQLite says', code);

describe('what SQLite throws', () => {
  for (const code of [
    'SQLITE_BUSY',
    'SQLITE_BUSY_SNAPSHOT',
    'SQLITE_LOCKED',
    'SQLITE_FULL',
    'SQLITE_IOERR',
    'SQLITE_IOERR_FSYNC',
    'SQLITE_CANTOPEN',
    'SQLITE_NOMEM',
    'SQLITE_PERM',
    'SQLITE_READONLY_DBMOVED',
    'SQLITE_PROTOCOL',
  ]) {
    it(`${code} is unavailable, and passes`, () => {
      expect(troubleOf(thrown(code))).to.include({ code: 'store_unavailable', damaged: false });
    });
  }

  for (const code of ['SQLITE_CORRUPT', 'SQLITE_CORRUPT_INDEX', 'SQLITE_NOTADB']) {
    it(`${code} is unavailable, and stays`, () => {
      expect(troubleOf(thrown(code))).to.include({ code: 'store_unavailable', damaged: true });
    });
  }

  for (const code of [
    'SQLITE_ERROR',
    'SQLITE_MISMATCH',
    'SQLITE_CONSTRAINT_CHECK',
    'SQLITE_TOOBIG',
    'SQLITE_BUSYBODY',
  ]) {
    it(`${code} is rejected`, () => {
      expect(troubleOf(thrown(code))).to.include({ code: 'store_rejected', damaged: false });
    });
  }

  it('names the code, for operators', () => {
    expect(troubleOf(thrown('SQLITE_FULL')).reason).to.equal('what SQLite says (SQLITE_FULL)');
  });

  it('is a taken key only for a unique one', () => {
    const codes = [
      'SQLITE_CONSTRAINT_PRIMARYKEY',
      'SQLITE_CONSTRAINT_UNIQUE',
      'SQLITE_CONSTRAINT_CHECK',
      'SQLITE_BUSY',
    ];
    expect(codes.map((code) => isUniqueViolation(thrown(code)))).to.deep.equal([true, true, false, false]);
  });
});

describe('what others throw on the way to the file', () => {
  it('is unavailable where the file system says no, without the path that it repeats', () => {
    const error = Object.assign(new Error('EACCES: /canary'), { code: 'EACCES', syscall: 'open' });
    expect(troubleOf(error)).to.deep.equal({ code: 'store_unavailable', reason: 'EACCES', damaged: false });
  });

  it('is rejected where the file is not ours, and where nobody foresaw it', () => {
    expect(troubleOf(new UnsuitableFile('belongs to another program'))).to.include({ code: 'store_rejected' });
    expect(troubleOf(new RangeError('canary'))).to.include({ code: 'store_rejected', reason: 'RangeError' });
  });
});
