import Database from 'better-sqlite3';
import { expect } from 'chai';
import { isUniqueViolation, toFailure, UnsuitableFile } from '../../../../../adapters/stores/sqlite/errors.ts';

const thrown = (code: string): Error => new Database.SqliteError('what SQLite says', code);

describe('an error of SQLite', () => {
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
    it(`${code} is unavailable for now`, () => {
      expect(toFailure(thrown(code))).to.include({ code: 'store_unavailable', isDamage: false });
    });
  }

  for (const code of ['SQLITE_CORRUPT', 'SQLITE_CORRUPT_INDEX', 'SQLITE_NOTADB']) {
    it(`${code} is unavailable until a restore`, () => {
      expect(toFailure(thrown(code))).to.include({ code: 'store_unavailable', isDamage: true });
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
      expect(toFailure(thrown(code))).to.include({ code: 'store_rejected', isDamage: false });
    });
  }

  it('is of the disk when the disk is full or failed', () => {
    const codes = ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_IOERR_WRITE', 'SQLITE_BUSY', 'SQLITE_CORRUPT'];
    const ofDisk = codes.map((code) => toFailure(thrown(code)).isOfDisk);
    expect(ofDisk).to.deep.equal([true, true, true, false, false]);
  });

  it('keeps its message and code', () => {
    expect(toFailure(thrown('SQLITE_FULL')).reason).to.equal('what SQLite says (SQLITE_FULL)');
  });

  it('says that the disk is probably full where SQLite does not, at the start on a full disk', () => {
    expect(toFailure(thrown('SQLITE_IOERR_SHMSIZE')).reason).to.include('the disk is full (SQLITE_IOERR_SHMSIZE)');
  });

  it('names the files that SQLite adds where it does not, for an existing file in a folder that is read-only', () => {
    expect(toFailure(thrown('SQLITE_CANTOPEN')).reason).to.match(/says, or its -wal and -shm in a read-only folder \(/);
  });

  it('means a taken key only for a unique constraint', () => {
    const codes = [
      'SQLITE_CONSTRAINT_PRIMARYKEY',
      'SQLITE_CONSTRAINT_UNIQUE',
      'SQLITE_CONSTRAINT_CHECK',
      'SQLITE_BUSY',
    ];
    expect(codes.map((code) => isUniqueViolation(thrown(code)))).to.deep.equal([true, true, false, false]);
  });
});

describe('another error', () => {
  it('of the file system is unavailable, and its reason leaves out the path', () => {
    const error = Object.assign(new Error('EACCES: /canary'), { code: 'EACCES', syscall: 'open' });
    const flags = { isDamage: false, isOfDisk: false, isReadOnly: false };
    expect(toFailure(error)).to.deep.equal({ code: 'store_unavailable', reason: 'EACCES', ...flags, cause: error });
  });

  it('is rejected, be it an unsuitable file or unknown', () => {
    expect(toFailure(new UnsuitableFile('belongs to another program'))).to.include({ code: 'store_rejected' });
    expect(toFailure(new RangeError('canary'))).to.include({ code: 'store_rejected', reason: 'RangeError' });
  });
});
