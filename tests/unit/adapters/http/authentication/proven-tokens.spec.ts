import { expect } from 'chai';
import { digestOf, ProvenTokens } from '../../../../../adapters/http/authentication/proven-tokens.ts';

describe('tokens that were proven', () => {
  const client = { name: 'shop' };

  it('are known until they expire, and not from then on', () => {
    const tokens = new ProvenTokens(10);
    tokens.add('a', client, 1_000);
    expect(tokens.clientOf('a', 999)).to.equal(client);
    expect(tokens.clientOf('a', 1_000)).to.equal(undefined);
    expect(tokens.clientOf('b', 0)).to.equal(undefined);
  });

  it('are forgotten when there are too many, the least recently used one first', () => {
    const tokens = new ProvenTokens(3);
    for (const token of ['a', 'b', 'c']) tokens.add(token, client, 1);
    expect(tokens.clientOf('a', 0)).to.equal(client);
    tokens.add('d', client, 1);
    const known = ['a', 'b', 'c', 'd'].filter((token) => tokens.clientOf(token, 0) !== undefined);
    expect(known).to.deep.equal(['a', 'c', 'd']);
  });

  it('are known by a digest in which no part of the token is seen', () => {
    expect(digestOf('a.b.c')).to.match(/^[A-Za-z0-9+/]{43}=$/);
    expect(digestOf('a.b.c')).to.not.equal(digestOf('a.b.d'));
  });
});
