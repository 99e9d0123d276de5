import { expect } from 'chai';
import { shaCrypt } from '../../../../adapters/password-hashes/sha-crypt.ts';
import { slowHashes } from '../../../../adapters/password-hashes/slow-hashes.ts';
import { hashVerifierContract } from '../../../../sdk/contract/password-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { expectNoHash } from './expect-no-hash.ts';

const open = () => shaCrypt.open({}, silentContext);

// The test vectors of the specification, https://www.akkadia.org/drepper/SHA-crypt.txt.
const long = 'a very much longer text to encrypt.  This one even stretches over morethan one line.';
const minimum = 'the minimum number is still observed';
const vectors: Readonly<Record<string, string>> = {
  '$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5': 'Hello world!',
  '$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA': 'Hello world!',
  '$5$rounds=5000$toolongsaltstrin$Un/5jzAHMgOGZ5.mWJpuVolil07guHPvOW8mGRcvxa5': 'This is just a test',
  '$5$rounds=1400$anotherlongsalts$Rx.j8H.h8HjEDGomFU8bDkXm3XIUnzyxf12oP84Bnq1': long,
  '$5$rounds=1000$roundstoolow$yfvwcWrQ8l/K0DAWyuPMDNHpIVlTQebY9l/gL972bIC': minimum,
  '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1':
    'Hello world!',
  '$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.':
    'Hello world!',
  '$6$rounds=5000$toolongsaltstrin$lQ8jolhgVRVhY4b5pZKaysCLi0QBxGoNeKQzQ3glMhwllF7oGDZxUhx1yxdYcz/e1JSbq3y6JMxxl8audkUEm0':
    'This is just a test',
  '$6$rounds=1400$anotherlongsalts$POfYwTEok97VWcjxIiSOjiykti.o/pQs.wPvMxQ6Fm7I6IoYN3CmLs66x9t0oSwbtEW7o7UmJEiDwGqd8p4ur1':
    long,
  '$6$rounds=1000$roundstoolow$kUMsbe306n21p9R.FRkW3IGn.S9NPN0x50YhH1xhLsPuWGsUSklZt58jaTfF4ZEQpyUNGc0dqbpBYYBaHHrsX.':
    minimum,
};
const expensiveVectors: Readonly<Record<string, string>> = {
  '$5$rounds=77777$short$JiO1O3ZpDAxGJeaDIuqCoEFysAe1mZNJRs3pw0KQRd/':
    'we have a short salt string but not a short password',
  '$5$rounds=123456$asaltof16chars..$gP3VQ/6X7UUEW3HkBn2w1/Ptq2jxPyzV/cZKmF/wJvD': 'a short string',
  '$6$rounds=77777$short$WuQyW2YR.hBNpjjRhpYD/ifIw05xdfeEyQoMxIXbkvr0gge1a1x3yRULJ5CCaUeOxFmtlcGZelFl5CxtgfiAc0':
    'we have a short salt string but not a short password',
  '$6$rounds=123456$asaltof16chars..$BtCwjqMJGx5hrJhZywWvt0RLE8uZ4oPwcelCjmw2kSYu.Ec6ycULevoBK25fs2xXgMNrCzIMVcgEJAstJeonj1':
    'a short string',
};

// Made with crypt(3) of libxcrypt: the lengths around those of the digests, and the longest password.
const madeWithCrypt: Readonly<Record<string, string>> = {
  '$5$Szzz0yzz$cA.ZFZKqblRYjdsbrWtVTYa/qSwPQnt2uh0LBtyYAAD': '',
  '$6$Szzz0yzz$EGj.JLAovFyAtCJx3YD1DXD1yTXoO9gv4qgLyHBsJJ1lkpnLB8ZPHekm1qXjJCOBc/8thCuHpxNN8Y5xzRYU5.': '',
  '$5$rounds=1000$abcdefghijklmnop$nWgzcx6P9If8dzYlqiRVBQ/YIJ9CWmR3a9nd6U0rnL3': 'p'.repeat(31),
  '$5$rounds=1000$abcdefghijklmnop$Hfp8P0n6sgFsHJLRHwzvDis8a25EXeKM/5uQ4.FzsAA': 'p'.repeat(32),
  '$5$rounds=1000$x$690v9MrBlMsgvV9nVQ2gyUSsNM0CSz.9YT1b5H/iVuC': 'p'.repeat(33),
  '$6$rounds=1000$x$L6cE9O3vHtjgvnwzfKNxorU/DuOF/fFBatooNGRGe5OGYfAFqJEr4/g.nBlbhAMHRQw/ZmkB9zc59ezJ0k9.V0': 'p'.repeat(
    64,
  ),
  '$6$rounds=1001$x$oN4.kBOyaokIVQFlIxhlJmT0xbZZPCmHx/ifXfiIaLl/KDMtEybIOxagVyPlx3rkjuGquAsc.U8guCgeJLlap.': 'p'.repeat(
    65,
  ),
  '$6$rounds=1042$$vP43G.0X/wXwBon6IVvcZ6YdX1oFqqj2350pmYoJ/AwMGOLH1Mof5l0P9YtHktKzWGelIB0s09MKndW9Od8Tk/': 'пароль 🔑',
  '$5$rounds=1000$saltsalt$E75Q18fNPh0aXNYfvoB9exE2O2HlO4qUUgsermTa0t/': 'p'.repeat(256),
  '$6$rounds=1000$saltsalt$YSwxkTGfWt/bcpj5/RmBknne/hNm364EXxQNdtDHoUJ6O7FiDlhCZ0MjaxkT9ahqqFNOowdu9uHc4XzZ4phYw0':
    'p'.repeat(256),
};

hashVerifierContract('sha-crypt', open, { ...vectors, ...madeWithCrypt });

const hello = '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1';

describe('sha-crypt', () => {
  for (const [stored, password] of Object.entries(expensiveVectors)) {
    it(`verifies ${stored.slice(0, 40)}, and reports it as expensive`, async () => {
      const hash = await open();
      expect(hash.inspect(stored)).to.equal('expensive');
      expect(await hash.verify(stored, password)).to.equal(true);
      expect(await hash.verify(stored, `${password}z`)).to.equal(false);
    });
  }

  it('limits the rounds', async () => {
    const hash = await open();
    const withRounds = (rounds: string) => hash.inspect(hello.replace('$6$', `$6$rounds=${rounds}$`));
    expect(['999', '1000', '20000', '20001', '1000000', '1000001', '999999999'].map(withRounds)).to.deep.equal([
      'foreign',
      'outdated',
      'outdated',
      'expensive',
      'expensive',
      'foreign',
      'foreign',
    ]);
  });

  it('rejects other forms without computing a hash', async () => {
    const hash = await open();
    for (const stored of [
      // passlib, tests of the handler sha512_crypt: rounds with a zero in front, and a character outside of the
      // alphabet.
      '$6$rounds=011021$KsvQipYPWpr93wWP$v7xjI4X6vyVptJjB1Y02vZC5SaSijBkGmq1uJhPr3cvqvvkd42Xvo48yLVPFt8dvhCsnlUgpX.//Cxn91H4qy1',
      '$6$rounds=11021$KsvQipYPWpr9:wWP$v7xjI4X6vyVptJjB1Y02vZC5SaSijBkGmq1uJhPr3cvqvvkd42Xvo48yLVPFt8dvhCsnlUgpX.//Cxn91H4qy1',
      hello.replace('$6$', '$6$rounds=$'),
      hello.replace('$6$', '$6$rounds=1e4$'),
      hello.replace('$6$', '$6$rounds=1000001$'),
      hello.replace('$6$', '$5$'),
      hello.replace('$6$', '$1$'),
      hello.replace('saltstring', 'saltstringsaltstr'),
      `${hello}.`,
      hello.slice(0, -1),
      `${hello}\n`,
    ]) {
      await expectNoHash(slowHashes, () => hash.verify(stored, 'Hello world!'));
      expect(hash.inspect(stored)).to.equal('foreign');
    }
  });

  it('rejects a password of more than 256 bytes, which every round hashes', async () => {
    const hash = await open();
    await expectNoHash(slowHashes, () => hash.verify(hello, 'p'.repeat(257)));
    await expectNoHash(slowHashes, () => hash.verify(hello, 'é'.repeat(129)));
  });

  it('lets other work run between its rounds, and runs in the queue of slow hashes', async () => {
    const hash = await open();
    let turns = 0;
    let verified: boolean | undefined;
    const verifying = hash.verify(hello.replace('$6$', '$6$rounds=100000$'), 'Hello world!').then((result) => {
      verified = result;
    });
    expect(slowHashes.active).to.equal(1);
    while (verified === undefined) {
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
    }
    await verifying;
    expect(turns).to.be.above(10);
    expect(slowHashes.active).to.equal(0);
  });
});
