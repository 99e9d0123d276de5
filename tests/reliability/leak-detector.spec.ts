import { expect } from 'chai';
import { LeakDetector } from './leak-detector.ts';
import { RandomStream } from './random.ts';

describe('the leak detector', () => {
  const detector = new LeakDetector(new RandomStream('secrets'));
  const secret = detector.newSecret('the secret');
  const hash = '$2b$10$abcdefghijklmnopqrstuv/ABCDE+';
  detector.add('the hash', hash, 'user');

  it('finds secrets in every encoding', () => {
    const encoded = [secret, `a${secret}b`, Buffer.from(secret).toString('hex'), encodeURIComponent(secret)];
    for (const before of ['', 'a', 'ab', 'abc', 'dev:']) {
      for (const encoding of ['base64', 'base64url'] as const)
        encoded.push(Buffer.from(`${before}${secret}${before}`).toString(encoding));
    }
    for (const text of encoded) expect(detector.leaksIn(`x ${text} y`), text).to.deep.equal(['the secret']);
    for (const text of [hash, encodeURIComponent(hash), Buffer.from(`:${hash}`).toString('base64url')])
      expect(detector.leaksIn(text), text).to.deep.equal(['the hash']);
  });

  it('does not report parts of secrets, nor secrets that the user may see', () => {
    expect(detector.leaksIn(`${secret.slice(1)} ${hash.slice(0, 20)}`)).to.deep.equal([]);
    expect(detector.leaksIn(`${secret} ${hash}`, true)).to.deep.equal(['the secret']);
  });
});
