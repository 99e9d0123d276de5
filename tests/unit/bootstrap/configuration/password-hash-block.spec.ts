import { createHash } from 'node:crypto';
import { totalmem } from 'node:os';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { hashConcurrency } from '../../../../adapters/password-hashes/slow-hashes.ts';
import {
  acceptedAlgorithms,
  hashMemoryLimitKiB,
  memoryPerHashKiB,
} from '../../../../bootstrap/configuration/password-algorithms.ts';
import { hashes, verifiers } from '../../../../bootstrap/registry.ts';
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
        `passwordHash.accept[1]: expected one of ${acceptedAlgorithms.join(', ')}`,
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

const signerKey = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==';

describe('passwordHash.accept with algorithms of other systems', () => {
  const accepting = (items: string, others = 'rehash: true, serverSideHash: true') =>
    withBlock(`algorithm: bcrypt, cost: 4, ${others}, accept: [${items}]`);

  it('can name every algorithm but simple, in the order of their costs', () => {
    const names = [...Object.keys(hashes), ...Object.keys(verifiers)].filter((name) => name !== 'simple');
    expect(acceptedAlgorithms).to.have.members(names);
  });

  it('opens each of them, and delegates to the one that recognizes a stored hash', async () => {
    const { passwordHash } = await configured(
      accepting(
        `salted-digest, phpass, sha-crypt, pbkdf2, scrypt, {type: firebase-scrypt, signerKey: ${signerKey}}, {type: bcrypt}`,
      ),
    );
    expect(passwordHash.accept).to.include.members(['pbkdf2', 'firebase-scrypt']);
    const hash = await passwordHash.open(silentContext);
    for (const [stored, password, status] of [
      ['{SSHA}pKqkNr1tq3wtQqk+UcPyA3HnA2NsU5NJ', 'password', 'outdated'],
      ['$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0', 'test12345', 'outdated'],
      [
        '$5$rounds=1000$roundstoolow$yfvwcWrQ8l/K0DAWyuPMDNHpIVlTQebY9l/gL972bIC',
        'the minimum number is still observed',
        'outdated',
      ],
      [
        '$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44',
        'password',
        'outdated',
      ],
      // scrypt costs more than the configured bcrypt, whatever its own costs are.
      [
        '$scrypt$ln=4,r=1,p=1$$d9ZXYjhleyA7GcpCwYoEl/FrSETjB0ro39/6P+3iFEL80Aad7QlI+DJqdToPyB8X6NPg+y4NNijPNeIMONGJBg',
        '',
        'expensive',
      ],
      [
        '$firebase-scrypt$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
        'user1password',
        'expensive',
      ],
    ] as const) {
      expect(await hash.verify(stored, password), stored).to.equal(true);
      expect(await hash.verify(stored, `${password}x`), stored).to.equal(false);
      expect(hash.inspect(stored), stored).to.equal(status);
    }
  });

  it('limits the memory of scrypt hashes', async () => {
    const { passwordHash } = await configured(accepting('scrypt'));
    const stored = '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E';
    const statuses = [64 * 1024, 64 * 1024 - 1].map(async (hashMemoryKiB) =>
      (await passwordHash.open({ ...silentContext, hashMemoryKiB })).inspect(stored),
    );
    expect(await Promise.all(statuses)).to.deep.equal(['expensive', 'foreign']);
  });

  it('refuses them as the algorithm of new hashes', async () => {
    for (const name of Object.keys(verifiers))
      expect(await problemsOf(withBlock(`algorithm: ${name}`)), name).to.deep.equal([
        'passwordHash.algorithm: only verifies stored hashes: name it in accept; expected one of simple, sha256, bcrypt, argon2, module',
      ]);
  });

  it('refuses wrong and missing options without repeating them', async () => {
    for (const [items, problems] of [
      ['firebase-scrypt', ['[0].signerKey: is required: text (in quotes if it looks like a number)']],
      [
        'bcrypt, {type: firebase-scrypt, signerKey: secret key}',
        ['[1].signerKey: expected base64 text of at least 16 bytes'],
      ],
      [
        `{type: firebase-scrypt, signerKey: ${signerKey}, memCost: 15, round: 8}`,
        ['[0].memCost: expected a whole number from 1 to 14', '[0].round: unknown key; did you mean rounds?'],
      ],
      ['{type: pbkdf2, rounds: 8}', ['[0].rounds: unknown key; known here: type']],
      ['{type: argon2, passes: 8}', ['[0]: argon2 has no options here: its stored hashes hold their costs']],
      ['{type: md5}', [`[0].type: expected one of ${acceptedAlgorithms.join(', ')}`]],
      ['{}', [`[0].type: is required: one of ${acceptedAlgorithms.join(', ')}`]],
      ['pbkdf2, bcrypt, bcrypt, pbkdf2', [': names pbkdf2 twice']],
    ] as const)
      expect(await problemsOf(accepting(items)), items).to.deep.equal(
        problems.map((problem) => `passwordHash.accept${problem}`),
      );
  });

  it('refuses salted digests unless they are replaced', async () => {
    expect(await problemsOf(accepting('pbkdf2, salted-digest', 'rehash: false'))).to.deep.equal([
      'passwordHash.accept: needs rehash: true for salted-digest, because such hashes are fast to guess',
    ]);
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
      'passwordHash.rehash: needs headerCheck: true; without the password an earlier hash that a client sends back is not recognized',
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
      'passwordHash.rehash: needs headerCheck: true; without the password an earlier hash that a client sends back is not recognized',
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

  it('is refused with wrong values', async () => {
    const problems = (options: string) => problemsOf(withBlock(`algorithm: bcrypt, ${options}`));
    expect(await problems('cache: {entries: 0, ttl: 5, size: 1}')).to.deep.equal([
      'passwordHash.cache.entries: expected a whole number from 1 to 1000000',
      'passwordHash.cache.ttl: expected a duration such as 500ms, 30s, 2m or 1h',
      'passwordHash.cache.size: unknown key; known here: entries, ttl',
    ]);
    expect(await problems('cache: true')).to.deep.equal(['passwordHash.cache: expected a block of options']);
  });
});
