import { expect } from 'chai';
import { phpass } from '../../../../adapters/password-hashes/phpass.ts';
import { slowHashes } from '../../../../adapters/password-hashes/slow-hashes.ts';
import { hashVerifierContract } from '../../../../sdk/contract/password-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { expectNoHash } from './expect-no-hash.ts';

const open = () => phpass.open({}, silentContext);

hashVerifierContract('phpass', open, {
  // phpass, test.php.
  '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0': 'test12345',
  // The same with the prefix of phpBB.
  '$H$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0': 'test12345',
  // passlib, tests of the handler phpass.
  '$P$7JaFQsPzJSuenezefD/3jHgt5hVfNH0': '',
  // FusionAuth, tests of its encryptor for phpass: a hash of WordPress.
  '$P$Buvd5FQxkeXJnDarN7..wRMwRKJeZ40': '!?!#?#?#$&@&@!&@',
});

describe('phpass', () => {
  const withCost = (character: string) => `$P$${character}IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0`;

  it('verifies more rounds, and reports them as expensive (passlib, tests of the handler phpass)', async () => {
    const hash = await open();
    const stored = '$P$FiS0N5L672xzQx1rt1vgdJQRYKnQM9/';
    expect(hash.inspect(stored)).to.equal('expensive');
    expect(await hash.verify(stored, 'compL3X!')).to.equal(true);
    expect(await hash.verify(stored, 'compL3X')).to.equal(false);
  });

  it('limits the rounds', async () => {
    const hash = await open();
    const statuses = ['4', '5', 'C', 'D', 'H', 'I', 'z', '.'].map((character) => hash.inspect(withCost(character)));
    expect(statuses).to.deep.equal([
      'foreign',
      'outdated',
      'outdated',
      'expensive',
      'expensive',
      'foreign',
      'foreign',
      'foreign',
    ]);
  });

  it('rejects other forms and costs without computing a hash', async () => {
    const hash = await open();
    const stored = withCost('9');
    for (const other of [
      ...['4', 'I', 'T', 'z', '!'].map(withCost),
      `${stored}.`,
      stored.slice(0, -1),
      `${stored}\n`,
      stored.replace('$P$', '$S$'),
      // passlib, tests of the handler phpass.
      '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r!L0',
    ])
      await expectNoHash(slowHashes, () => hash.verify(other, 'test12345'));
  });

  it('rejects a password of more than 256 bytes, which every round hashes', async () => {
    const hash = await open();
    await expectNoHash(slowHashes, () => hash.verify(withCost('9'), 'p'.repeat(257)));
    await expectNoHash(slowHashes, () => hash.verify(withCost('9'), 'é'.repeat(129)));
  });
});
