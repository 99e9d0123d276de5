import { expect } from 'chai';
import * as fc from 'fast-check';
import type { HashVerifier, PasswordHash } from '../../application/ports/password-hash.ts';
import { texts } from './arbitraries.ts';
import { rejection } from './outcomes.ts';

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

/** The contract of a password hash. `open` returns one with the lowest costs that the algorithm allows. */
export const passwordHashContract = (name: string, open: () => Promise<PasswordHash>): void => {
  describe(`password hash contract: ${name}`, () => {
    let hash: PasswordHash;
    before(async () => {
      hash = await open();
    });

    /** The candidates that match a stored hash. They are verified concurrently, because a hash can be slow. */
    const matching = async (stored: string, candidates: readonly string[]): Promise<readonly string[]> => {
      const matches = await Promise.all(candidates.map((candidate) => hash.verify(stored, candidate)));
      return candidates.filter((_, index) => matches[index]);
    };

    for (const password of passwords) {
      it(`verifies ${JSON.stringify(password.slice(0, 30))}, and no similar password`, async () => {
        expect(hash.canHash(password)).to.equal(true);
        const stored = await hash.hash(password);
        expect(await hash.verify(stored, password)).to.equal(true);
        const similar = [`${password} `, ` ${password}`, password.slice(0, -1), `${password}\0`];
        expect(await matching(stored, similar)).to.deep.equal([]);
      });
    }

    it('distinguishes upper and lower case, and composed and decomposed letters', async () => {
      expect(await hash.verify(await hash.hash('Secret'), 'secret')).to.equal(false);
      expect(await hash.verify(await hash.hash('\u00e9'), 'e\u0301')).to.equal(false);
    });

    it('verifies no other password', () =>
      fc.assert(
        fc.asyncProperty(texts, fc.array(texts, { minLength: 4, maxLength: 4 }), async (one, others) => {
          fc.pre(!others.includes(one) && hash.canHash(one));
          expect(await matching(await hash.hash(one), others)).to.deep.equal([]);
        }),
        { numRuns: 10 },
      ));

    it('distinguishes passwords with NUL characters from shorter or repeated ones', async () => {
      const stored = await hash.hash('a');
      expect(await matching(stored, ['a\0', '\0a', 'a\0a', 'a\0a\0a', 'a\0b', '\0'])).to.deep.equal([]);
    });

    it('distinguishes an unpaired surrogate from its replacement character, and refuses to hash it', async () => {
      for (const password of loneSurrogates) {
        const stored = await hash.hash(password.toWellFormed());
        expect(await hash.verify(stored, password), JSON.stringify(password)).to.equal(false);
        expect(hash.canHash(password)).to.equal(false);
        expect(await rejection(hash.hash(password))).to.be.instanceOf(RangeError);
      }
    });

    it('verifies no password against a malformed stored hash, and does not throw', async () => {
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
          // Without a recognizable format every text is current.
          expect(hash.inspect(text), 'the status of a text that is no hash').to.be.oneOf(['current', 'foreign']);
          if (hash.inspect(text) === 'foreign') expect(await hash.verify(text, text)).to.equal(false);
        }),
      );
    });

    it('does not throw for a damaged stored hash', async () => {
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

/** Like a stored hash, with characters that an encoding of digests has. */
const digestCharacters = 'AZaz09/';

/** Whether two characters differ by more than their case, which hex ignores. */
const differ = (one = '', other = ''): boolean => one.toLowerCase() !== other.toLowerCase();

/**
 * The contract of an algorithm that only verifies. `samples` are stored hashes that cost little, with their passwords.
 * Each ends with its digest, or with a salt behind it.
 */
export const hashVerifierContract = (
  name: string,
  open: () => Promise<HashVerifier>,
  samples: Readonly<Record<string, string>>,
): void => {
  describe(`hash verifier contract: ${name}`, () => {
    const entries = Object.entries(samples);
    const sample = fc.constantFrom(...entries);
    let hash: HashVerifier;
    before(async () => {
      hash = await open();
    });

    for (const [stored, password] of entries) {
      it(`verifies ${stored.slice(0, 40)}, and no similar password`, async () => {
        expect(hash.inspect(stored)).to.equal('outdated');
        expect(await hash.verify(stored, password)).to.equal(true);
        const similar = [`${password} `, ` ${password}`, `${password}\0`, `${password}x`, `\0${password}`, stored, ''];
        for (const other of similar.filter((each) => each !== password))
          expect(await hash.verify(stored, other), JSON.stringify(other)).to.equal(false);
      });
    }

    it('verifies no password with an unpaired surrogate', async () => {
      for (const [stored] of entries)
        for (const password of loneSurrogates) expect(await hash.verify(stored, password)).to.equal(false);
    });

    it('reports other texts as foreign, and verifies no password against them', async () => {
      for (const stored of malformed) {
        expect(hash.inspect(stored), JSON.stringify(stored.slice(0, 40))).to.equal('foreign');
        expect(await hash.verify(stored, 'secret')).to.equal(false);
      }
      await fc.assert(
        fc.asyncProperty(texts, texts, async (stored, password) => {
          expect(hash.inspect(stored)).to.equal('foreign');
          expect(await hash.verify(stored, password)).to.equal(false);
          expect(await hash.verify(stored, stored)).to.equal(false);
        }),
      );
    });

    it('verifies no hash with a changed character at its end', () =>
      fc.assert(
        fc.asyncProperty(
          sample,
          fc.integer({ min: 1, max: 20 }),
          fc.constantFrom(...digestCharacters),
          async ([stored, password], fromEnd, character) => {
            const at = stored.length - fromEnd;
            fc.pre(differ(stored[at], character));
            const changed = stored.slice(0, at) + character + stored.slice(at + 1);
            expect(await hash.verify(changed, password), changed).to.equal(false);
          },
        ),
        { numRuns: 15 },
      ));

    it('does not throw for a truncated or damaged hash', () =>
      fc.assert(
        fc.asyncProperty(sample, fc.nat(), fc.nat(), texts, async ([stored, password], from, to, patch) => {
          const [start, end] = [from % (stored.length + 1), to % (stored.length + 1)];
          const damaged = stored.slice(0, Math.min(start, end)) + patch + stored.slice(Math.max(start, end));
          const status = hash.inspect(damaged);
          // A patch can raise the costs up to their limit, which takes seconds for each run.
          if (status === 'expensive') return;
          const verified = await hash.verify(damaged, password);
          expect(verified).to.be.a('boolean');
          if (status === 'foreign') expect(verified).to.equal(false);
        }),
      ));
  });
};
