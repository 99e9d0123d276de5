import { createHash } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { argon2 } from '../../../../adapters/password-hashes/argon2.ts';
import { bcrypt } from '../../../../adapters/password-hashes/bcrypt.ts';
import { DelegatingHash } from '../../../../adapters/password-hashes/delegating-hash.ts';
import { pbkdf2 } from '../../../../adapters/password-hashes/pbkdf2.ts';
import { phpass } from '../../../../adapters/password-hashes/phpass.ts';
import { saltedDigest } from '../../../../adapters/password-hashes/salted-digest.ts';
import { firebaseScrypt, scrypt } from '../../../../adapters/password-hashes/scrypt.ts';
import { shaCrypt } from '../../../../adapters/password-hashes/sha-crypt.ts';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import { slowHashes } from '../../../../adapters/password-hashes/slow-hashes.ts';
import { looksLikeHash } from '../../../../application/passwords/password-update.ts';
import { PasswordHash } from '../../../../application/ports/password-hash.ts';
import { texts } from '../../../../sdk/contract/arbitraries.ts';
import { passwordHashContract } from '../../../../sdk/contract/password-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { expectNoHash } from './expect-no-hash.ts';

const algorithms: Readonly<Record<string, () => Promise<PasswordHash>>> = {
  sha256: () => sha256.open({}, silentContext),
  bcrypt: () => bcrypt.open({ cost: 4 }, silentContext),
  argon2: () => argon2.open({ memoryKiB: 19_456, passes: 2, parallelism: 1 }, silentContext),
};
const names = Object.keys(algorithms);
const opened = (name: string): Promise<PasswordHash> => {
  const open = algorithms[name];
  if (open === undefined) throw new TypeError(`no algorithm ${name}`);
  return open();
};
const delegating = async (configured: string, others: readonly string[]) =>
  new DelegatingHash(await opened(configured), await Promise.all(others.map(opened)));

/** Hashes of the password `secret` by older systems. */
const olderHashes = {
  'bcrypt $2y$': '$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW',
  'bcrypt $2a$': '$2a$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW',
  'SHA-256 without a salt': createHash('sha256').update('secret').digest('hex'),
};

const signerKey = Buffer.alloc(64).toString('base64');
const verifiers = [
  () => saltedDigest.open({}, silentContext),
  () => phpass.open({}, silentContext),
  () => shaCrypt.open({}, silentContext),
  () => pbkdf2.open({}, silentContext),
  () => scrypt.open({}, silentContext),
  () => firebaseScrypt.open({ signerKey, saltSeparator: 'Bw==', rounds: 8, memCost: 14 }, silentContext),
];
const hashesOfOtherSystems = [
  '{SSHA}pKqkNr1tq3wtQqk+UcPyA3HnA2NsU5NJ',
  `md5$seasalt$${'0'.repeat(32)}`,
  // As long as a hash of the algorithm sha256.
  `md5$${'5'.repeat(43)}$${'0'.repeat(32)}`,
  `sha1$${'5'.repeat(34)}$${'0'.repeat(40)}`,
  '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0',
  '$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5',
  '$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44',
  'pbkdf2_sha256$390000$seasalt$8xBlGd3jVgvJ+92hWPxi5ww0uuAuAnKgC45eudxro7c=',
  'AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg==',
  'AQAAAAIAAAAyAAAAEOMwvh3+FZxqkdMBz2ekgGhwQ4B6pZWND6zgESBuWiHw',
  '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  '$firebase-scrypt$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
];

passwordHashContract('sha256 that delegates to bcrypt and argon2', () => delegating('sha256', ['bcrypt', 'argon2']));

describe('a stored hash', () => {
  it('looks like a hash, whatever algorithm made it', async () => {
    const made = await Promise.all(names.map(async (name) => (await opened(name)).hash('secret')));
    for (const stored of [...made, ...Object.values(olderHashes), ...hashesOfOtherSystems])
      expect(looksLikeHash(stored), stored).to.equal(true);
    for (const password of ['', 'correct horse', '$2b$', 'a$b$c', 'f'.repeat(63), `a${'b'.repeat(50)}`, '$5 and $6'])
      expect(looksLikeHash(password), password).to.equal(password === '$2b$');
  });
});

describe('a hash that delegates to other algorithms', () => {
  for (const configured of names) {
    for (const other of names.filter((name) => name !== configured)) {
      it(`${configured} verifies an accepted hash of ${other}, and reports it as outdated`, async () => {
        const stored = await (await opened(other)).hash('secret');
        const hash = await delegating(configured, [other]);
        expect(await hash.verify(stored, 'secret')).to.equal(true);
        for (const wrong of ['Secret', 'secret ', '', stored]) expect(await hash.verify(stored, wrong)).to.equal(false);
        expect(hash.inspect(stored)).to.equal('outdated');
      });

      it(`${configured} verifies no hash of ${other} that is not accepted`, async () => {
        const stored = await (await opened(other)).hash('secret');
        const hash = await opened(configured);
        expect(await hash.verify(stored, 'secret')).to.equal(false);
        expect(hash.inspect(stored)).to.equal('foreign');
        const third = names.filter((name) => name !== configured && name !== other);
        expect((await delegating(configured, third)).inspect(stored)).to.equal('foreign');
      });
    }

    it(`hashes with ${configured} only, and reports its hashes as current`, async () => {
      const hash = await delegating(
        configured,
        names.filter((name) => name !== configured),
      );
      const stored = await hash.hash('secret');
      expect((await opened(configured)).inspect(stored)).to.equal('current');
      expect(hash.inspect(stored)).to.equal('current');
    });
  }

  for (const [name, stored] of Object.entries(olderHashes)) {
    it(`verifies ${name}`, async () => {
      const hash = await delegating('argon2', ['sha256', 'bcrypt']);
      expect(await hash.verify(stored, 'secret')).to.equal(true);
      expect(await hash.verify(stored, 'Secret')).to.equal(false);
      expect(hash.inspect(stored)).to.equal('outdated');
    });
  }

  it('verifies passwords that only an accepted algorithm can hash', async () => {
    const long = 'p'.repeat(100);
    const stored = await (await opened('sha256')).hash(long);
    const hash = await delegating('bcrypt', ['sha256']);
    expect(hash.canHash(long)).to.equal(false);
    expect(await hash.verify(stored, long)).to.equal(true);
  });

  it('verifies no text against itself', async () => {
    const hash = await delegating('sha256', ['bcrypt', 'argon2']);
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await hash.verify(text, text)).to.equal(false);
        expect(hash.inspect(text)).to.equal('foreign');
      }),
    );
  });

  it('recognizes each hash with one algorithm only', async () => {
    const all = await Promise.all(names.map(opened));
    const hashed = await Promise.all(all.map((algorithm) => algorithm.hash('secret')));
    const others = await Promise.all(verifiers.map((open) => open()));
    for (const stored of [...hashed, ...Object.values(olderHashes), ...hashesOfOtherSystems]) {
      expect([...all, ...others].filter((algorithm) => algorithm.inspect(stored) !== 'foreign')).to.have.lengthOf(1);
    }
  });

  it('rejects an accepted hash above the cost limit without computing it', async () => {
    const hash = await delegating('sha256', ['bcrypt', 'argon2']);
    for (const stored of [
      '$2b$16$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW',
      '$argon2id$v=19$m=2097152,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    ]) {
      await expectNoHash(slowHashes, () => hash.verify(stored, 'secret'));
      expect(hash.inspect(stored)).to.equal('foreign');
    }
  });

  it('reports a hash as expensive that costs more than the default of its algorithm', async () => {
    const hash = await delegating('argon2', ['sha256', 'bcrypt']);
    for (const [head, expected] of [
      ['$2b$04$', 'outdated'],
      ['$2b$05$', 'expensive'],
    ] as const)
      expect(hash.inspect(`${head}abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW`), head).to.equal(expected);
  });

  it('reports every hash of a more expensive algorithm as expensive', async () => {
    const hash = new DelegatingHash(await opened('bcrypt'), [await opened('sha256')], [await opened('argon2')]);
    const hashed = [await (await opened('sha256')).hash('secret'), await (await opened('argon2')).hash('secret')];
    expect(hashed.map((stored) => hash.inspect(stored))).to.deep.equal(['outdated', 'expensive']);
    for (const stored of hashed) expect(await hash.verify(stored, 'secret')).to.equal(true);
  });

  it('lets a configured algorithm without a recognizable format verify every hash', async () => {
    class Unmarked extends PasswordHash {
      canHash = () => true;
      hash = async (password: string) => `unmarked ${password}`;
      verify = async (stored: string, password: string) => stored === `unmarked ${password}`;
      inspect = () => 'current' as const;
    }
    const hash = new DelegatingHash(new Unmarked(), [await opened('bcrypt')]);
    expect(await hash.verify('unmarked secret', 'secret')).to.equal(true);
    expect(hash.inspect('unmarked secret')).to.equal('current');
    const stored = await (await opened('bcrypt')).hash('secret');
    expect(await hash.verify(stored, 'secret')).to.equal(false);
    expect(hash.inspect(stored)).to.equal('current');
  });

  it('lets the configured algorithm verify a hash that no algorithm recognizes', async () => {
    class Prefixed extends PasswordHash {
      canHash = () => true;
      hash = async (password: string) => `prefixed ${password}`;
      verify = async (stored: string, password: string) => stored.endsWith(password);
      inspect = (stored: string) => (stored.startsWith('prefixed ') ? 'current' : 'foreign');
    }
    const hash = new DelegatingHash(new Prefixed(), [await opened('bcrypt')]);
    expect(await hash.verify('another secret', 'secret')).to.equal(true);
    expect(hash.inspect('another secret')).to.equal('foreign');
  });
});

describe('a configured algorithm with a format that an accepted one also reads', () => {
  it('verifies its hashes itself', async () => {
    class Peppered extends PasswordHash {
      canHash = () => true;
      hash = async () => '$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW';
      verify = async (_stored: string, password: string) => password === 'a peppered secret';
      inspect = (stored: string) => (stored.startsWith('$2b$') ? 'current' : 'foreign');
    }
    const hash = new DelegatingHash(new Peppered(), [await opened('bcrypt')]);
    const stored = await hash.hash('a peppered secret');
    expect(await hash.verify(stored, 'a peppered secret')).to.equal(true);
    expect(await hash.verify(stored, 'secret')).to.equal(false);
    expect(hash.inspect(stored)).to.equal('current');
  });
});

describe('a stored hash with other costs than the configured ones', () => {
  it('is outdated for bcrypt, or expensive if it takes longer than a new hash', async () => {
    const hash = await bcrypt.open({ cost: 5 }, silentContext);
    for (const [cost, expected] of [
      [4, 'outdated'],
      [6, 'expensive'],
    ] as const) {
      const other = await bcrypt.open({ cost }, silentContext);
      expect(hash.inspect(await other.hash('secret')), `${cost}`).to.equal(expected);
    }
  });

  it('is outdated for argon2, as are older variants, or expensive if it takes more memory, time or threads', async () => {
    const usual = { memoryKiB: 19_456, passes: 2, parallelism: 1 };
    const hash = await argon2.open(usual, silentContext);
    const digest = 'c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    const statusOf = (head: string) => hash.inspect(`${head}$${digest}`);
    expect(statusOf('$argon2id$v=19$m=19456,t=2,p=1')).to.equal('current');
    expect(statusOf('$argon2id$v=19$t=2,p=1,m=19456')).to.equal('current');
    for (const head of [
      '$argon2id$v=19$m=19455,t=2,p=1',
      '$argon2id$v=19$m=19456,t=1,p=1',
      '$argon2id$v=19$m=9728,t=4,p=1',
      '$argon2i$v=19$m=19456,t=2,p=1',
      '$argon2d$v=19$m=19456,t=2,p=1',
      '$argon2id$v=16$m=19456,t=2,p=1',
      '$argon2id$m=19456,t=2,p=1',
    ]) {
      expect(statusOf(head), head).to.equal('outdated');
    }
    for (const head of [
      '$argon2id$v=19$m=19457,t=2,p=1',
      '$argon2id$v=19$m=19457,t=1,p=1',
      '$argon2id$v=19$m=19456,t=3,p=1',
      '$argon2id$v=19$m=9729,t=4,p=1',
      '$argon2d$v=19$m=19456,t=2,p=2',
      '$argon2i$m=262144,t=2,p=1',
    ]) {
      expect(statusOf(head), `${head} takes more memory, time or threads`).to.equal('expensive');
    }
  });

  it('is outdated for sha256 without a salt', async () => {
    const hash = await sha256.open({}, silentContext);
    const bare = createHash('sha256').update('secret').digest('hex');
    expect([bare, bare.toUpperCase(), `${'s'.repeat(16)}${bare}`].map((stored) => hash.inspect(stored))).to.deep.equal([
      'outdated',
      'outdated',
      'current',
    ]);
  });
});
