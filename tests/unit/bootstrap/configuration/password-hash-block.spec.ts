import { createHash } from 'node:crypto';
import { totalmem } from 'node:os';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { hashConcurrency } from '../../../../adapters/password-hashes/work-queue.ts';
import { hashMemoryLimitKiB, memoryPerHashKiB } from '../../../../bootstrap/wiring/password-algorithms.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { configured, database, problemsOf } from './read-configuration.ts';

const withBlock = (block: string): string => `${database}\npasswordHash: {${block}}`;

describe('passwordHash.accept', () => {
  it('is empty by default', async () => {
    const { passwordHash } = await configured(withBlock('algorithm: argon2'));
    expect(passwordHash.accept).to.deep.equal([]);
  });

  it('adds algorithms whose stored hashes are checked', async () => {
    const { passwordHash } = await configured(withBlock('algorithm: bcrypt, cost: 4, accept: [sha256, bcrypt, argon]'));
    expect(passwordHash.accept).to.deep.equal(['sha256', 'bcrypt', 'argon2']);
    const hash = await passwordHash.open(silentContext);
    const digest = createHash('sha256').update('secret').digest('hex');
    expect(await hash.verify(digest, 'secret')).to.equal(true);
    expect([digest, 'secret'].map((stored) => hash.inspect(stored))).to.deep.equal(['outdated', 'foreign']);
    const own = await hash.hash('secret');
    expect(own).to.match(/^\$2b\$04\$/);
    expect(hash.inspect(own)).to.equal('current');
  });

  it('treats hashes of a slower algorithm than the configured one as expensive', async () => {
    const bcryptForm = '$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW';
    const argon2Form = '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    const bare = createHash('sha256').update('secret').digest('hex');
    for (const [algorithm, expected] of [
      ['sha256', ['outdated', 'expensive', 'expensive']],
      ['bcrypt', ['outdated', 'outdated', 'expensive']],
      ['argon2', ['outdated', 'outdated', 'outdated']],
    ] as const) {
      const accept = 'accept: [argon2, bcrypt, sha256]';
      const { passwordHash } = await configured(withBlock(`algorithm: ${algorithm}, ${accept}`));
      const hash = await passwordHash.open(silentContext);
      const found = [bare, bcryptForm, argon2Form].map((stored) => hash.inspect(stored));
      expect(found, algorithm).to.deep.equal(expected);
    }
  });

  it('refuses simple, modules and unknown algorithms', async () => {
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
      'passwordHash.accept: needs an algorithm that hashes: simple cannot tell a stored hash from a password';
    expect(await problemsOf(withBlock('accept: [bcrypt]'))).to.deep.equal([problem]);
    expect(await problemsOf(withBlock('algorithm: simple, accept: [bcrypt]'))).to.deep.equal([problem]);
    expect((await configured(withBlock('algorithm: simple, accept: []'))).passwordHash.accept).to.deep.equal([]);
  });
});

describe('passwordHash.rehash', () => {
  const problems = (options: string) => problemsOf(withBlock(`rehash: true, ${options}`));

  it('is off by default, and works with one algorithm', async () => {
    expect((await configured(withBlock('algorithm: bcrypt'))).passwordHash.rehash).to.equal(false);
    const { passwordHash } = await configured(withBlock('algorithm: bcrypt, serverSideHash: true, rehash: "true"'));
    expect(passwordHash.rehash).to.equal(true);
  });

  it('needs hashing by the service and the password header', async () => {
    expect(await problems('serverSideHash: true')).to.deep.equal([
      'passwordHash.rehash: needs an algorithm that hashes; simple does not hash',
    ]);
    expect(await problems('algorithm: bcrypt')).to.deep.equal([
      'passwordHash.rehash: needs serverSideHash: true; without it clients hash passwords',
    ]);
    expect(await problems('algorithm: bcrypt, serverSideHash: true, headerCheck: false')).to.deep.equal([
      'passwordHash.rehash: needs headerCheck: true; without it the service sees no passwords',
    ]);
  });
});

describe('the block passwordHash', () => {
  it('reports every contradiction between its options at once', async () => {
    const file = withBlock('algorithm: simple, accept: [bcrypt], rehash: true, headerCheck: false, cache: {}');
    expect(await problemsOf(file)).to.deep.equal([
      'passwordHash.accept: needs an algorithm that hashes: simple cannot tell a stored hash from a password',
      'passwordHash.rehash: needs an algorithm that hashes; simple does not hash',
      'passwordHash.rehash: needs serverSideHash: true; without it clients hash passwords',
      'passwordHash.rehash: needs headerCheck: true; without it the service sees no passwords',
      'passwordHash.cache: needs headerCheck: true; without it no passwords are checked',
    ]);
  });
});

describe('passwordHash.ceiling', () => {
  const heavy = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  const problems = (options: string) => problemsOf(withBlock(options));

  it('is configured, or derived from the memory of the machine and the number of parallel hashes', async () => {
    const ceilingOf = async (options: string) => hashMemoryLimitKiB(await configured(withBlock(options)));
    expect(await ceilingOf('algorithm: argon2, ceiling: {memoryKiB: 65536}')).to.equal(65_536);
    const alone = await ceilingOf('algorithm: argon2');
    expect(await ceilingOf('algorithm: argon2, ceiling: {}')).to.equal(alone);
    expect(alone * 1024 * hashConcurrency)
      .to.be.above(0)
      .and.below(totalmem() / 4);
    const four = hashMemoryLimitKiB(await configured(`${withBlock('algorithm: argon2')}\nserver: {workers: 4}`));
    expect(four * 1024 * hashConcurrency * 4)
      .to.be.above(0)
      .and.below(totalmem() / 4);
  });

  it('gives all hashes together just under a quarter of the memory', () => {
    fc.assert(
      fc.property(fc.integer({ min: 64, max: 2 ** 20 }), fc.integer({ min: 1, max: 1024 }), (mebibytes, hashes) => {
        const [bytes, ceiling] = [mebibytes * 2 ** 20, memoryPerHashKiB(mebibytes * 2 ** 20, hashes)];
        expect(ceiling * hashes * 1024).to.be.below(bytes / 4);
        expect((ceiling + 1) * hashes * 1024).to.be.at.least(bytes / 4);
      }),
    );
  });

  it('applies to the configured algorithm and to accepted ones', async () => {
    for (const options of ['algorithm: argon2', 'algorithm: bcrypt, accept: [argon2]']) {
      const { passwordHash } = await configured(withBlock(options));
      for (const [hashMemoryKiB, expected] of [
        [65_536, true],
        [65_535, false],
      ] as const) {
        const hash = await passwordHash.open({ ...silentContext, hashMemoryKiB });
        expect(hash.inspect(heavy) !== 'foreign').to.equal(expected);
      }
    }
  });

  it('is refused below the memory of a new hash, and above 1 GiB', async () => {
    const range = 'passwordHash.ceiling.memoryKiB: expected a whole number from 19456 to 1048576';
    expect(await problems('algorithm: argon2, ceiling: {memoryKiB: 19455}')).to.deep.equal([range]);
    expect(await problems('algorithm: argon2, ceiling: {memoryKiB: 1048577}')).to.deep.equal([range]);
    const tooLow = 'passwordHash.ceiling.memoryKiB: is less than memoryKiB, the memory of every new hash';
    for (const memoryKiB of ['65537', '"65537"'])
      expect(
        await problems(`algorithm: argon, memoryKiB: ${memoryKiB}, ceiling: {memoryKiB: 65536}`),
        memoryKiB,
      ).to.deep.equal([tooLow]);
    await configured(withBlock('algorithm: argon2, memoryKiB: 65536, ceiling: {memoryKiB: 65536}'));
    await configured(withBlock('algorithm: argon2, ceiling: {memoryKiB: 19456}'));
    expect(await problems('algorithm: argon2, ceiling: 65536')).to.deep.equal([
      'passwordHash.ceiling: expected a block of options',
    ]);
  });
});

describe('passwordHash.cache', () => {
  const cacheOf = async (cache: string) =>
    (await configured(withBlock(`algorithm: bcrypt, cache: ${cache}`))).passwordHash.cache;

  it('is off by default, and keeps 10,000 entries for 5 minutes when it is on', async () => {
    expect((await configured(withBlock('algorithm: bcrypt'))).passwordHash.cache).to.equal(null);
    expect(await cacheOf('{}')).to.deep.equal({ entries: 10_000, ttlMs: 300_000 });
    expect(await cacheOf('{entries: 500, ttl: 30s}')).to.deep.equal({ entries: 500, ttlMs: 30_000 });
  });

  it('is refused with wrong values, and without the password header', async () => {
    const problems = (options: string) => problemsOf(withBlock(`algorithm: bcrypt, ${options}`));
    expect(await problems('cache: {entries: 0, ttl: 5, size: 1}')).to.deep.equal([
      'passwordHash.cache.entries: expected a whole number from 1 to 1000000',
      'passwordHash.cache.ttl: expected a duration such as 500ms, 30s, 2m or 1h',
      'passwordHash.cache.size: unknown key; known here: entries, ttl',
    ]);
    expect(await problems('cache: true')).to.deep.equal(['passwordHash.cache: expected a block of options']);
    expect(await problems('cache: {}, headerCheck: false')).to.deep.equal([
      'passwordHash.cache: needs headerCheck: true; without it no passwords are checked',
    ]);
  });
});
