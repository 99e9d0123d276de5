import { expect } from 'chai';
import { Canaries } from './canaries.ts';

describe('the search for secrets', () => {
  const canaries = new Canaries();
  const secret = canaries.plant('the secret');
  const hash = '$2b$10$abcdefghijklmnopqrstuv/ABCDE+';
  canaries.keep('the hash', hash, 'its user');

  it('finds them in every dress', () => {
    const dresses = [secret, `a${secret}b`, Buffer.from(secret).toString('hex'), encodeURIComponent(secret)];
    for (const before of ['', 'a', 'ab', 'abc', 'dev:']) {
      for (const encoding of ['base64', 'base64url'] as const)
        dresses.push(Buffer.from(`${before}${secret}${before}`).toString(encoding));
    }
    for (const dress of dresses) expect(canaries.leaksIn(`x ${dress} y`), dress).to.deep.equal(['the secret']);
    for (const dress of [hash, encodeURIComponent(hash), Buffer.from(`:${hash}`).toString('base64url')])
      expect(canaries.leaksIn(dress), dress).to.deep.equal(['the hash']);
  });

  it('finds none where there is none, and lets a user see its own', () => {
    expect(canaries.leaksIn(`${secret.slice(1)} ${hash.slice(0, 20)}`)).to.deep.equal([]);
    expect(canaries.leaksIn(`${secret} ${hash}`, true)).to.deep.equal(['the secret']);
  });
});
