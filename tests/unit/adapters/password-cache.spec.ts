import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { serialize } from 'node:v8';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { LRUCache } from 'lru-cache';
import { InMemoryPasswordCache } from '../../../adapters/password-cache.ts';
import type { VerifiedPassword } from '../../../application/ports/password-cache.ts';
import { keyOf } from '../../../domain/email-address.ts';
import { addresses, addressOf, texts } from '../../support/arbitraries.ts';

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

const open = ({ entries = 10, ttl = 1_000 } = {}) => {
  const clock = { now: 1_000 };
  return { clock, cache: new InMemoryPasswordCache({ entries, ttl }, () => clock.now) };
};

/** What is kept of the entries, in the form in which it could leave the process. */
const kept = (cache: InMemoryPasswordCache): string => {
  const known: unknown = Reflect.get(cache, 'known');
  if (!(known instanceof LRUCache)) throw new TypeError('the entries are kept elsewhere');
  return serialize(known.dump()).toString('latin1') + inspect(cache, { depth: null, showHidden: true });
};

describe('remembered passwords', () => {
  it('are known again, and nothing that differs in one of the three', () => {
    const { cache } = open();
    expect(cache.has(verified)).to.equal(false);
    cache.add(verified);
    expect(cache.has(verified)).to.equal(true);
    expect(others.filter((other) => cache.has(other))).to.deep.equal([]);
    expect([cache.hits, cache.misses]).to.deep.equal([1, 5]);
  });

  it('are never taken for others, whatever is in them', () => {
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

  it('are never taken for others that read the same in one line, or in UTF-8', () => {
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

  it('are forgotten when their time is over, however often they were asked for', () => {
    const { cache, clock } = open({ ttl: 1_000 });
    cache.add(verified);
    for (clock.now of [1_500, 2_000]) expect(cache.has(verified), `${clock.now}`).to.equal(true);
    clock.now = 2_001;
    expect(cache.has(verified)).to.equal(false);
  });

  it('are forgotten when there are too many, those first that nobody asked for', () => {
    const { cache } = open({ entries: 2 });
    const [first, second, third] = ['one', 'two', 'three'].map((supplied) => ({ ...verified, supplied }));
    if (first === undefined || second === undefined || third === undefined) throw new TypeError('three were made');
    cache.add(first);
    cache.add(second);
    expect(cache.has(first)).to.equal(true);
    cache.add(third);
    expect([first, second, third].map((each) => cache.has(each))).to.deep.equal([true, false, true]);
  });

  it('are forgotten at once when that is asked for', () => {
    const { cache } = open();
    cache.add(verified);
    cache.clear();
    expect(cache.has(verified)).to.equal(false);
  });

  it('can not be read from what is kept, and neither can stored forms, addresses or the key', () => {
    const { cache } = open();
    cache.add(verified);
    const text = kept(cache);
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

  it('mean nothing to another process', () => {
    const [one, other] = [open().cache, open().cache];
    one.add(verified);
    other.add(verified);
    const digestIn = (cache: InMemoryPasswordCache) => /[A-Za-z0-9+/]{43}=/.exec(kept(cache))?.[0];
    expect(digestIn(one)).not.to.equal(digestIn(other));
  });
});
