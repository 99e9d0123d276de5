import { expect } from 'chai';
import * as fc from 'fast-check';
import type { PasswordHash } from '../../application/ports/password-hash.ts';
import { texts } from '../../tests/support/arbitraries.ts';
import { rejection } from '../../tests/support/rejection.ts';

const loneSurrogates = ['\ud800', '\udfff', 'pass\udbffword', '\udc00\ud800'];
const passwords = [
  'p',
  'correct horse battery staple',
  ' spaced ',
  'pässwörd',
  'пароль',
  '🔑🗝️',
  '漢字',
  '"\'$&\\',
  'x'.repeat(72),
];
const malformed = [
  '',
  ' ',
  '$',
  '$$$$$',
  '$2b$',
  '$2b$10$',
  '$argon2id$',
  '$argon2id$v=19$m=19456,t=2,p=1$$',
  'f'.repeat(63),
  'f'.repeat(65),
  '\0',
  '\ud800',
  '__proto__',
  '$2b$10$'.padEnd(60, '\0'),
  'x'.repeat(100_000),
];

/** What every way of storing passwords keeps to. `open` gives a hash as cheap as its algorithm allows. */
export const passwordHashContract = (name: string, open: () => Promise<PasswordHash>): void => {
  describe(`password hash: ${name}`, () => {
    let hash: PasswordHash;
    before(async () => {
      hash = await open();
    });

    /** The passwords that a stored form matches. They are checked together, because each takes its time. */
    const matching = async (stored: string, candidates: readonly string[]): Promise<readonly string[]> => {
      const matches = await Promise.all(candidates.map((candidate) => hash.verify(stored, candidate)));
      return candidates.filter((_, index) => matches[index]);
    };

    for (const password of passwords) {
      it(`knows ${JSON.stringify(password.slice(0, 30))} again, and nothing near it`, async () => {
        expect(hash.canHash(password)).to.equal(true);
        const stored = await hash.hash(password);
        expect(await hash.verify(stored, password)).to.equal(true);
        const near = [`${password} `, ` ${password}`, password.slice(0, -1), `${password}\0`];
        expect(await matching(stored, near)).to.deep.equal([]);
      });
    }

    it('tells upper from lower case, and composed from decomposed letters', async () => {
      expect(await hash.verify(await hash.hash('Secret'), 'secret')).to.equal(false);
      expect(await hash.verify(await hash.hash('\u00e9'), 'e\u0301')).to.equal(false);
    });

    it('never takes one password for another', () =>
      fc.assert(
        fc.asyncProperty(texts, fc.array(texts, { minLength: 4, maxLength: 4 }), async (one, others) => {
          fc.pre(!others.includes(one) && hash.canHash(one));
          expect(await matching(await hash.hash(one), others)).to.deep.equal([]);
        }),
        { numRuns: 10 },
      ));

    it('never takes a password with a NUL for a shorter or repeated one', async () => {
      const stored = await hash.hash('a');
      expect(await matching(stored, ['a\0', '\0a', 'a\0a', 'a\0a\0a', 'a\0b', '\0'])).to.deep.equal([]);
    });

    it('never takes an unpaired surrogate for the character that replaces it in UTF-8', async () => {
      for (const password of loneSurrogates) {
        const stored = await hash.hash(password.toWellFormed());
        expect(await hash.verify(stored, password), JSON.stringify(password)).to.equal(false);
        expect(hash.canHash(password)).to.equal(false);
        expect(await rejection(hash.hash(password))).to.be.instanceOf(RangeError);
      }
    });

    it('answers no to a malformed stored form, and does not throw', async () => {
      for (const stored of malformed) {
        expect(await hash.verify(stored, 'secret'), JSON.stringify(stored.slice(0, 40))).to.equal(false);
      }
      await fc.assert(
        fc.asyncProperty(texts, texts, async (stored, password) => {
          fc.pre(stored !== password);
          return !(await hash.verify(stored, password));
        }),
      );
    });

    it('reports its own hashes as current, and verifies no text that it reports as foreign', async () => {
      expect(hash.inspect(await hash.hash('secret'))).to.equal('current');
      await fc.assert(
        fc.asyncProperty(fc.oneof(texts, fc.constantFrom(...malformed)), async (text) => {
          if (hash.inspect(text) === 'foreign') expect(await hash.verify(text, text)).to.equal(false);
        }),
      );
    });

    it('answers yes or no to whatever became of a stored form', async () => {
      const stored = await hash.hash('secret');
      const cut = fc.nat({ max: stored.length });
      await fc.assert(
        fc.asyncProperty(cut, cut, texts, async (from, to, patch) => {
          const damaged = stored.slice(0, Math.min(from, to)) + patch + stored.slice(Math.max(from, to));
          expect(await hash.verify(damaged, 'secret')).to.be.a('boolean');
          expect(await hash.verify(damaged, 'another')).to.equal(damaged === 'another');
        }),
        { numRuns: 50 },
      );
    });
  });
};
