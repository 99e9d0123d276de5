import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { isAccepted } from '../../../application/ports/password-hash.ts';
import { silentTools } from '../../doubles/silent-tools.ts';
import { configured, database, problemsOf } from './reading.ts';

const withBlock = (block: string): string => `${database}\npasswordHash: {${block}}`;

describe('passwordHash.accept', () => {
  it('is nothing by default: the configured algorithm stands alone', async () => {
    const { passwordHash } = await configured(withBlock('algorithm: argon2'));
    expect(passwordHash.accept).to.deep.equal([]);
  });

  it('names algorithms whose stored forms are checked too, the configured one included', async () => {
    const { passwordHash } = await configured(withBlock('algorithm: bcrypt, cost: 4, accept: [sha256, bcrypt, argon]'));
    expect(passwordHash.accept).to.deep.equal(['sha256', 'bcrypt', 'argon2']);
    const hash = await passwordHash.open(silentTools);
    const digest = createHash('sha256').update('secret').digest('hex');
    expect(await hash.verify(digest, 'secret')).to.equal(true);
    expect([digest, 'secret'].map((stored) => isAccepted(hash, stored))).to.deep.equal([true, false]);
    const own = await hash.hash('secret');
    expect(own).to.match(/^\$2b\$04\$/);
    expect(hash.recognise?.(own)).to.equal('current');
  });

  it('takes no algorithm for which every text is a stored form, and none that is not there', async () => {
    for (const word of ['simple', 'module', 'md5', '5', 'toString']) {
      expect(await problemsOf(withBlock(`algorithm: argon2, accept: [bcrypt, ${word}]`)), word).to.deep.equal([
        'passwordHash.accept[1]: expected one of sha256, bcrypt, argon2',
      ]);
    }
    expect(await problemsOf(withBlock('algorithm: argon2, accept: bcrypt'))).to.deep.equal([
      'passwordHash.accept: expected a list',
    ]);
  });

  it('needs an algorithm that hashes', async () => {
    const problem =
      'passwordHash.accept: needs an algorithm that hashes: simple can not tell a stored hash from a password';
    expect(await problemsOf(withBlock('accept: [bcrypt]'))).to.deep.equal([problem]);
    expect(await problemsOf(withBlock('algorithm: simple, accept: [bcrypt]'))).to.deep.equal([problem]);
    expect((await configured(withBlock('algorithm: simple, accept: []'))).passwordHash.accept).to.deep.equal([]);
  });
});

describe('passwordHash.rehash', () => {
  const problems = (options: string) => problemsOf(withBlock(`rehash: true, ${options}`));

  it('is off by default, and needs no other algorithm than the configured one', async () => {
    expect((await configured(withBlock('algorithm: bcrypt'))).passwordHash.rehash).to.equal(false);
    const { passwordHash } = await configured(withBlock('algorithm: bcrypt, serverSideHash: true, rehash: "true"'));
    expect(passwordHash.rehash).to.equal(true);
  });

  it('needs an algorithm that hashes, on the side of the service, of a password that is asked for', async () => {
    expect(await problems('serverSideHash: true')).to.deep.equal([
      'passwordHash.rehash: needs an algorithm that hashes, and simple does not',
    ]);
    expect(await problems('algorithm: bcrypt')).to.deep.equal([
      'passwordHash.rehash: needs serverSideHash: true; without it clients decide what is stored',
    ]);
    expect(await problems('algorithm: bcrypt, serverSideHash: true, headerCheck: false')).to.deep.equal([
      'passwordHash.rehash: needs headerCheck: true; without it no password is known',
    ]);
  });
});
