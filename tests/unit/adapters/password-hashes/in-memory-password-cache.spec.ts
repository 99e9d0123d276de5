import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { serialize } from 'node:v8';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { LRUCache } from 'lru-cache';
import { InMemoryPasswordCache } from '../../../../adapters/password-hashes/in-memory-password-cache.ts';
import type { VerifiedPassword } from '../../../../application/ports/password-cache.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { addresses, addressOf, texts } from '../../../../sdk/contract/arbitraries.ts';

const verified: VerifiedPassword = {
  key: keyOf(addressOf('jane@example.com')),
  stored: '$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW',
  supplied: 'correct horse battery staple',
};
const others: readonly VerifiedPassword[] = [
  { ...verified, key: keyOf(addressOf('john@example.com')) },
  { ...verified, stored: `${verified.stored.slice(0, -1)}X` },
  { ...verified, supplied: 'correct horse battery stapler' },
  { ...verified, supplied: '' },
];

const open = ({ entries = 10, ttlMs = 1_000 } = {}) => {
  const clock = { now: 1_000 };
  return { clock, cache: new InMemoryPasswordCache({ entries, ttlMs }, () => clock.now) };
};

/** The entries as they could leave the process: serialized and inspected. */
const serialized = (cache: InMemoryPasswordCache): string => {
  const digests: unknown = Reflect.get(cache, 'digests');
  if (!(digests instanceof LRUCache)) throw new TypeError('the entries are in another property');
  return serialize(digests.dump()).toString('latin1') + inspect(cache, { depth: null, showHidden: true });
};

describe('the password cache', () => {
  it('finds what was added, and nothing that differs in user, hash or password', () => {
    const { cache } = open();
    expect(cache.has(verified)).to.equal(false);
    cache.add(verified);
    expect(cache.has(verified)).to.equal(true);
    expect(others.filter((other) => cache.has(other))).to.deep.equal([]);
    expect([cache.hits, cache.misses]).to.deep.equal([1, 5]);
  });

  it('never confuses two different entries', () => {
    const triples = fc.record({ key: addresses.map(keyOf), stored: texts, supplied: texts });
    fc.assert(
      fc.property(triples, triples, (one, other) => {
        fc.pre(one.key !== other.key || one.stored !== other.stored || one.supplied !== other.supplied);
        const { cache } = open();
        cache.add(one);
        expect([cache.has(one), cache.has(other)]).to.deep.equal([true, false]);
      }),
    );
  });

  it('never confuses entries that are equal when concatenated, or in UTF-8', () => {
    for (const [one, other] of [
      [
        { stored: 'ab', supplied: 'c' },
        { stored: 'a', supplied: 'bc' },
      ],
      [
        { stored: 'a', supplied: 'b","c' },
        { stored: 'a","b', supplied: 'c' },
      ],
      [
        { stored: 'a\0b', supplied: 'c' },
        { stored: 'a', supplied: 'b\0c' },
      ],
      [
        { stored: 'a', supplied: '\ud800' },
        { stored: 'a', supplied: '\ufffd' },
      ],
    ] as const) {
      const { cache } = open();
      cache.add({ ...verified, ...one });
      expect(cache.has({ ...verified, ...other })).to.equal(false);
    }
  });

  it('removes an entry after its time to live, even if it was used', () => {
    const { cache, clock } = open({ ttlMs: 1_000 });
    cache.add(verified);
    for (clock.now of [1_500, 2_000]) expect(cache.has(verified), `${clock.now}`).to.equal(true);
    clock.now = 2_001;
    expect(cache.has(verified)).to.equal(false);
  });

  it('removes the least recently used entry when it is full', () => {
    const { cache } = open({ entries: 2 });
    const [first, second, third] = ['one', 'two', 'three'].map((supplied) => ({ ...verified, supplied }));
    if (first === undefined || second === undefined || third === undefined)
      throw new TypeError('expected three entries');
    cache.add(first);
    cache.add(second);
    expect(cache.has(first)).to.equal(true);
    cache.add(third);
    expect([first, second, third].map((each) => cache.has(each))).to.deep.equal([true, false, true]);
  });

  it('removes all entries when it is cleared', () => {
    const { cache } = open();
    cache.add(verified);
    cache.clear();
    expect(cache.has(verified)).to.equal(false);
  });

  it('stores no passwords, hashes or addresses, and no unkeyed digests of them', () => {
    const { cache } = open();
    cache.add(verified);
    const text = serialized(cache);
    const joined = JSON.stringify([verified.key, verified.stored, verified.supplied]);
    const plain = [verified.supplied, verified.stored, joined].flatMap((each) =>
      (['base64', 'hex'] as const).map((encoding) => createHash('sha256').update(each).digest(encoding)),
    );
    for (const secret of [verified.supplied, verified.stored, verified.key, ...plain]) {
      expect(text).not.to.include(secret);
    }
    expect(JSON.stringify(cache)).not.to.include('battery');
    expect(text).to.match(/[A-Za-z0-9+/]{43}=/);
  });

  it('uses another key in each process', () => {
    const [one, other] = [open().cache, open().cache];
    one.add(verified);
    other.add(verified);
    const digestIn = (cache: InMemoryPasswordCache) => /[A-Za-z0-9+/]{43}=/.exec(serialized(cache))?.[0];
    expect(digestIn(one)).not.to.equal(digestIn(other));
  });
});
