import { expect } from 'chai';
import { digestOf, ProvenTokens } from '../../../adapters/http/authentication/proven-tokens.ts';

describe('tokens that were proven', () => {
  const client = { name: 'shop' };

  it('are known until they expire, and not from then on', () => {
    const tokens = new ProvenTokens(10);
    tokens.add('a', client, 1_000);
    expect(tokens.clientOf('a', 999)).to.equal(client);
    expect(tokens.clientOf('a', 1_000)).to.equal(undefined);
    expect(tokens.clientOf('b', 0)).to.equal(undefined);
  });

  it('are forgotten, the oldest first, when there are too many', () => {
    const tokens = new ProvenTokens(10);
    for (let count = 0; count < 1_000; count++) tokens.add(`token ${count}`, client, 1);
    const known = Array.from({ length: 1_000 }, (_, count) => tokens.clientOf(`token ${count}`, 0) !== undefined);
    expect(known.filter(Boolean)).to.have.lengthOf.within(5, 10);
    expect(known.lastIndexOf(false)).to.be.below(known.indexOf(true));
  });

  it('are known by a digest in which no part of the token is seen', () => {
    expect(digestOf('a.b.c')).to.match(/^[A-Za-z0-9+/]{43}=$/);
    expect(digestOf('a.b.c')).to.not.equal(digestOf('a.b.d'));
  });
});
