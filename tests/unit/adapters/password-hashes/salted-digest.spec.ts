import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { saltedDigest } from '../../../../adapters/password-hashes/salted-digest.ts';
import { hashVerifierContract } from '../../../../sdk/contract/password-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';

const open = () => saltedDigest.open({}, silentContext);

hashVerifierContract('salted-digest', open, {
  // passlib, documentation of passlib.hash.ldap_salted_sha1 and ldap_salted_md5.
  '{SSHA}pKqkNr1tq3wtQqk+UcPyA3HnA2NsU5NJ': 'password',
  '{SMD5}jNoSMNY0cybfuBWiaGlFw3Mfi/U=': 'password',
  // Ory Kratos, hash/hasher_test.go.
  '{SSHA}JFZFs0oHzxbMwkSJmYVeI8MnTDy/276a': 'test123',
  '{SSHA256}czO44OTV17PcF1cRxWrLZLy9xHd7CWyVYplr1rOhuMlx/7IK': 'test123',
  '{SSHA512}xPUl/px+1cG55rUH4rzcwxdOIPSB2TingLpiJJumN2xyDWN4Ix1WQG3ihnvHaWUE8MYNkvMi5rf0C9NYixHsE6Yh59M=': 'test123',
  // Django, tests/auth_tests/test_hashers.py; the last two are without a salt.
  sha1$seasalt$cff36ea83f5706ce9aa7454e63e431fc726b2dc8: 'lètmein',
  md5$seasalt$3f86d0d3d465b7b458c231bf3555c0e3: 'lètmein',
  sha1$$6d138ca3ae545631b3abd71a4f076ce759c5700b: 'lètmein',
  md5$$88a434c88cca4e900f7874cd98123f43: 'lètmein',
});

describe('salted-digest', () => {
  it('reads schemes, algorithms and hexadecimal digits in either case, and base64 without padding', async () => {
    const hash = await open();
    for (const [stored, password] of [
      ['{ssha}pKqkNr1tq3wtQqk+UcPyA3HnA2NsU5NJ', 'password'],
      ['{SMD5}jNoSMNY0cybfuBWiaGlFw3Mfi/U', 'password'],
      ['SHA1$seasalt$CFF36EA83F5706CE9AA7454E63E431FC726B2DC8', 'lètmein'],
    ] as const)
      expect(await hash.verify(stored, password), stored).to.equal(true);
  });

  it('verifies salts of any length and bytes', async () => {
    const hash = await open();
    for (const salt of [Buffer.alloc(0), Buffer.from([0, 255, 36]), Buffer.alloc(100, 7)]) {
      for (const [scheme, algorithm] of [
        ['SMD5', 'md5'],
        ['SSHA', 'sha1'],
        ['SSHA256', 'sha256'],
        ['SSHA384', 'sha384'],
        ['SSHA512', 'sha512'],
      ] as const) {
        const digest = createHash(algorithm).update('secret').update(salt).digest();
        const stored = `{${scheme}}${Buffer.concat([digest, salt]).toString('base64')}`;
        expect(await hash.verify(stored, 'secret'), stored).to.equal(true);
        expect(await hash.verify(stored, 'Secret'), stored).to.equal(false);
      }
    }
  });

  it('rejects other forms', async () => {
    const hash = await open();
    const digest = createHash('sha1').update('password').digest();
    for (const stored of [
      `{SSHA}${digest.subarray(1).toString('base64')}`,
      `{SHA}${digest.toString('base64')}`,
      `{SSHA1}${digest.toString('base64')}`,
      `{SSHA}${digest.toString('hex')}!`,
      `{SSHA}${digest.toString('base64')}\n`,
      digest.toString('hex'),
      `sha1$a$b$${digest.toString('hex')}`,
      `sha256$salt$${'0'.repeat(64)}`,
      `sha1$salt$${'0'.repeat(39)}`,
      `md5$salt$${'0'.repeat(40)}`,
    ]) {
      expect(hash.inspect(stored), stored).to.equal('foreign');
      expect(await hash.verify(stored, 'password'), stored).to.equal(false);
    }
  });
});
