import { expect } from 'chai';
import * as fc from 'fast-check';
import { bcrypt } from '../../../../adapters/password-hashes/bcrypt.ts';
import { slowHashes } from '../../../../adapters/password-hashes/slow-hashes.ts';
import { passwordHashContract } from '../../../../sdk/contract/password-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { expectNoHash } from './expect-no-hash.ts';

const open = (cost = 4) => bcrypt.open({ cost }, silentContext);

passwordHashContract('bcrypt', () => open());

describe('bcrypt', () => {
  // U*U and the letter ё: test vectors of crypt_blowfish and passlib. The others were made with crypt(3) of libxcrypt.
  for (const [stored, password] of [
    ['$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'U*U'],
    ['$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'U*U'],
    ['$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a', 'U*U*U'],
    ['$2y$05$6bNw2HLQYeqHYyBfLMsv/OUcZd0LKP39b87nBw3.S2tVZSqiQX6eu', 'ё'],
    ['$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW', 'secret'],
    ['$2a$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW', 'secret'],
    ['$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW', 'secret'],
    ['$2y$04$abcdefghijklmnopqrstuuSMJRpWQxwOMZXUpYARib7Mb8EGzE.72', 'été 😀'],
    ['$2y$04$abcdefghijklmnopqrstuunudcQMCHzGtJ3fquo8E01XZjS8VqqX.', '0'.repeat(72)],
  ] as const) {
    it(`verifies ${stored.slice(0, 14)}… of ${password.slice(0, 10)}`, async () => {
      const hash = await open();
      expect(await hash.verify(stored, password)).to.equal(true);
      expect(await hash.verify(stored, `x${password.slice(1)}`)).to.equal(false);
    });
  }

  it('creates $2b$ hashes with the configured cost, and verifies them after a change of the cost', async () => {
    const stored = await (await open(5)).hash('secret');
    expect(stored).to.match(/^\$2b\$05\$[./A-Za-z0-9]{53}$/);
    expect(await (await open(4)).verify(stored, 'secret')).to.equal(true);
  });

  it('accepts costs from 4 to 15, with 10 as the default', () => {
    expect(bcrypt.configuration.decode({})).to.deep.include({ _tag: 'Right', right: { cost: 10 } });
    for (const cost of [4, 15]) expect(bcrypt.configuration.decode({ cost })._tag, `${cost}`).to.equal('Right');
    for (const cost of [3, 16, 31, 10.5, -1]) {
      expect(bcrypt.configuration.decode({ cost })._tag, `${cost}`).to.equal('Left');
    }
  });

  describe('passwords of about 72 bytes, the most that bcrypt uses', () => {
    const emoji = '🔑'.repeat(18);

    for (const password of ['p'.repeat(71), 'p'.repeat(72), emoji, `${'p'.repeat(70)}é`]) {
      it(`hashes ${Buffer.byteLength(password)} bytes (${password.slice(-1)})`, async () => {
        const hash = await open();
        const stored = await hash.hash(password);
        expect(await hash.verify(stored, password)).to.equal(true);
        expect(await hash.verify(stored, `${password.slice(0, -2)}xx`)).to.equal(false);
      });
    }

    for (const tail of ['p', 'é', '🔑', '\0', ' ']) {
      it(`does not ignore an additional ${JSON.stringify(tail)}`, async () => {
        const hash = await open();
        for (const password of ['p'.repeat(72), emoji]) {
          expect(await hash.verify(await hash.hash(password), password + tail)).to.equal(false);
        }
      });
    }

    it('rejects longer passwords', async () => {
      const hash = await open();
      expect(hash.canHash('x'.repeat(72))).to.equal(true);
      expect(hash.canHash('x'.repeat(73))).to.equal(false);
      expect(hash.canHash('a\0b')).to.equal(false);
      for (const password of ['p'.repeat(73), `${emoji}p`, 'a\0a']) {
        const outcome = await hash.hash(password).catch((error: unknown) => error);
        expect(outcome).to.be.instanceOf(RangeError);
      }
    });
  });

  it('rejects a stored hash whose cost is out of bounds without computing it', async () => {
    const hash = await open();
    for (const cost of ['00', '03', '16', '17', '31', '32', '99']) {
      await expectNoHash(slowHashes, () =>
        hash.verify(`$2b$${cost}$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW`, 'secret'),
      );
    }
  });

  it('rejects other versions and lengths without computing a hash', async () => {
    const hash = await open();
    for (const version of ['2', '2x', '2c', '1', '2B', '3b']) {
      await expectNoHash(slowHashes, () =>
        hash.verify(`$${version}$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW`, 'secret'),
      );
    }
    const stored = '$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW';
    for (const other of [`${stored}.`, stored.slice(0, -1), ` ${stored}`, `${stored}\n`]) {
      await expectNoHash(slowHashes, () => hash.verify(other, 'secret'));
    }
  });

  it('verifies no hash with a changed character in the digest', async () => {
    const hash = await open();
    const stored = await hash.hash('secret');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 29, max: 59 }), fc.constantFrom(...'./AZaz09$'), async (at, character) => {
        fc.pre(stored[at] !== character);
        return !(await hash.verify(stored.slice(0, at) + character + stored.slice(at + 1), 'secret'));
      }),
    );
  });
});
