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

describe('passwordHash.cache', () => {
  const cacheOf = async (cache: string) =>
    (await configured(withBlock(`algorithm: bcrypt, cache: ${cache}`))).passwordHash.cache;

  it('is off by default, and has ten thousand entries for five minutes unless it says otherwise', async () => {
    expect((await configured(withBlock('algorithm: bcrypt'))).passwordHash.cache).to.equal(null);
    expect(await cacheOf('{}')).to.deep.equal({ entries: 10_000, ttl: 300_000 });
    expect(await cacheOf('{entries: 500, ttl: 30s}')).to.deep.equal({ entries: 500, ttl: 30_000 });
  });

  it('is refused with other values, and where no password is checked', async () => {
    const problems = (options: string) => problemsOf(withBlock(`algorithm: bcrypt, ${options}`));
    expect(await problems('cache: {entries: 0, ttl: 5, size: 1}')).to.deep.equal([
      'passwordHash.cache.entries: expected a whole number from 1 to 1000000',
      'passwordHash.cache.ttl: expected a duration such as 500ms, 30s, 2m or 1h',
      'passwordHash.cache.size: unknown key; known here: entries, ttl',
    ]);
    expect(await problems('cache: true')).to.deep.equal(['passwordHash.cache: expected a block of options']);
    expect(await problems('cache: {}, headerCheck: false')).to.deep.equal([
      'passwordHash.cache: needs headerCheck: true; without it no password is checked',
    ]);
  });
});
