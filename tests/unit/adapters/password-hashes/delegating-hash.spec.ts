import { createHash } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { argon2 } from '../../../../adapters/password-hashes/argon2.ts';
import { bcrypt } from '../../../../adapters/password-hashes/bcrypt.ts';
import { DelegatingHash } from '../../../../adapters/password-hashes/delegating-hash.ts';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import { slowHashes } from '../../../../adapters/password-hashes/work-queue.ts';
import { PasswordHash } from '../../../../application/ports/password-hash.ts';
import { passwordHashContract } from '../../../../sdk/contract/password-hash.ts';
import { texts } from '../../../support/arbitraries.ts';
import { silentContext } from '../../../support/doubles/silent-tools.ts';
import { expectNoWork } from './no-work.ts';

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
const accepting = async (configured: string, others: readonly string[]) =>
  new DelegatingHash(await opened(configured), await Promise.all(others.map(opened)));

/** What else older systems stored of the password `secret`: bcrypt of other makes, and a digest without a salt. */
const olderForms = {
  'bcrypt $2y$': '$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW',
  'bcrypt $2a$': '$2a$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW',
  'SHA-256 without a salt': createHash('sha256').update('secret').digest('hex'),
};

passwordHashContract('sha256 that accepts bcrypt and argon2', () => accepting('sha256', ['bcrypt', 'argon2']));

describe('an algorithm that accepts the stored forms of others', () => {
  for (const configured of names) {
    for (const other of names.filter((name) => name !== configured)) {
      it(`${configured} checks a form of ${other} where that is accepted, and finds it outdated`, async () => {
        const stored = await (await opened(other)).hash('secret');
        const hash = await accepting(configured, [other]);
        expect(await hash.verify(stored, 'secret')).to.equal(true);
        for (const wrong of ['Secret', 'secret ', '', stored]) expect(await hash.verify(stored, wrong)).to.equal(false);
        expect(hash.inspect(stored)).to.equal('outdated');
      });

      it(`${configured} alone knows no form of ${other}`, async () => {
        const stored = await (await opened(other)).hash('secret');
        const hash = await opened(configured);
        expect(await hash.verify(stored, 'secret')).to.equal(false);
        expect(hash.inspect(stored)).to.equal('foreign');
        const third = names.filter((name) => name !== configured && name !== other);
        expect((await accepting(configured, third)).inspect(stored)).to.equal('foreign');
      });
    }

    it(`makes new forms with ${configured} alone, and finds them current`, async () => {
      const hash = await accepting(
        configured,
        names.filter((name) => name !== configured),
      );
      const stored = await hash.hash('secret');
      expect((await opened(configured)).inspect(stored)).to.equal('current');
      expect(hash.inspect(stored)).to.equal('current');
    });
  }

  for (const [name, stored] of Object.entries(olderForms)) {
    it(`checks ${name}`, async () => {
      const hash = await accepting('argon2', ['sha256', 'bcrypt']);
      expect(await hash.verify(stored, 'secret')).to.equal(true);
      expect(await hash.verify(stored, 'Secret')).to.equal(false);
      expect(hash.inspect(stored)).to.equal('outdated');
    });
  }

  it('takes the passwords that the configured algorithm takes, and checks those that it does not', async () => {
    const long = 'p'.repeat(100);
    const stored = await (await opened('sha256')).hash(long);
    const hash = await accepting('bcrypt', ['sha256']);
    expect(hash.canHash(long)).to.equal(false);
    expect(await hash.verify(stored, long)).to.equal(true);
  });

  it('never takes a text as its own stored form, whatever is accepted', async () => {
    const hash = await accepting('sha256', ['bcrypt', 'argon2']);
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await hash.verify(text, text)).to.equal(false);
        expect(hash.inspect(text)).to.equal('foreign');
      }),
    );
  });

  it('leaves no form to two algorithms', async () => {
    const all = await Promise.all(names.map(opened));
    const forms = await Promise.all(all.map((algorithm) => algorithm.hash('secret')));
    for (const stored of [...forms, ...Object.values(olderForms)]) {
      expect(all.filter((algorithm) => algorithm.inspect(stored) !== 'foreign')).to.have.lengthOf(1);
    }
  });

  it('answers at once where an accepted form would cost too much', async () => {
    const hash = await accepting('sha256', ['bcrypt', 'argon2']);
    for (const stored of [
      '$2b$16$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW',
      '$argon2id$v=19$m=2097152,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    ]) {
      await expectNoWork(slowHashes, () => hash.verify(stored, 'secret'));
      expect(hash.inspect(stored)).to.equal('foreign');
    }
  });

  it('finds a form expensive that costs more than the accepted algorithm would take by default', async () => {
    const hash = await accepting('argon2', ['sha256', 'bcrypt']);
    for (const [head, expected] of [
      ['$2b$04$', 'outdated'],
      ['$2b$05$', 'expensive'],
    ] as const)
      expect(hash.inspect(`${head}abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW`), head).to.equal(expected);
  });

  it('finds every form of an algorithm expensive that costs more than the configured one', async () => {
    const hash = new DelegatingHash(await opened('bcrypt'), [await opened('sha256')], [await opened('argon2')]);
    const forms = [await (await opened('sha256')).hash('secret'), await (await opened('argon2')).hash('secret')];
    expect(forms.map((stored) => hash.inspect(stored))).to.deep.equal(['outdated', 'expensive']);
    for (const stored of forms) expect(await hash.verify(stored, 'secret')).to.equal(true);
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

describe('an algorithm that tells its own forms', () => {
  it('checks them itself, also where an accepted one would read them', async () => {
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

describe('a stored form with other costs than the configured ones', () => {
  it('is outdated for bcrypt, and expensive where it takes longer than a new one', async () => {
    const hash = await bcrypt.open({ cost: 5 }, silentContext);
    for (const [cost, expected] of [
      [4, 'outdated'],
      [6, 'expensive'],
    ] as const) {
      const other = await bcrypt.open({ cost }, silentContext);
      expect(hash.inspect(await other.hash('secret')), `${cost}`).to.equal(expected);
    }
  });

  it('is outdated for argon2, whichever of them differs, and so are its older variants; expensive where it takes more', async () => {
    const usual = { memoryKiB: 19_456, passes: 2, parallelism: 1 };
    const hash = await argon2.open(usual, silentContext);
    const digest = 'c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    const recognised = (head: string) => hash.inspect(`${head}$${digest}`);
    expect(recognised('$argon2id$v=19$m=19456,t=2,p=1')).to.equal('current');
    expect(recognised('$argon2id$v=19$t=2,p=1,m=19456')).to.equal('current');
    for (const head of [
      '$argon2id$v=19$m=19455,t=2,p=1',
      '$argon2id$v=19$m=19456,t=1,p=1',
      '$argon2id$v=19$m=9728,t=4,p=1',
      '$argon2i$v=19$m=19456,t=2,p=1',
      '$argon2d$v=19$m=19456,t=2,p=1',
      '$argon2id$v=16$m=19456,t=2,p=1',
      '$argon2id$m=19456,t=2,p=1',
    ]) {
      expect(recognised(head), head).to.equal('outdated');
    }
    for (const head of [
      '$argon2id$v=19$m=19457,t=2,p=1',
      '$argon2id$v=19$m=19457,t=1,p=1',
      '$argon2id$v=19$m=19456,t=3,p=1',
      '$argon2id$v=19$m=9729,t=4,p=1',
      '$argon2d$v=19$m=19456,t=2,p=2',
      '$argon2i$m=262144,t=2,p=1',
    ]) {
      expect(recognised(head), `${head} takes more memory, time or threads`).to.equal('expensive');
    }
  });

  it('is outdated for sha256 where it has no salt', async () => {
    const hash = await sha256.open({}, silentContext);
    const bare = createHash('sha256').update('secret').digest('hex');
    expect([bare, bare.toUpperCase(), `${'s'.repeat(16)}${bare}`].map((stored) => hash.inspect(stored))).to.deep.equal([
      'outdated',
      'outdated',
      'current',
    ]);
  });
});
