import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import { passwordHashContract } from '../../../../sdk/contract/password-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';

const open = () => sha256.open({}, silentContext);
const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');

passwordHashContract('sha256', open);

describe('sha256', () => {
  it('stores 16 characters of salt, then the hex SHA-256 of salt and password', async () => {
    const stored = await (await open()).hash('secret');
    expect(stored).to.match(/^[\w-]{16}[0-9a-f]{64}$/);
    expect(stored.slice(16)).to.equal(sha256Of(`${stored.slice(0, 16)}secret`));
  });

  it('uses a new salt for each hash', async () => {
    const hash = await open();
    const stored = await Promise.all(Array.from({ length: 50 }, () => hash.hash('secret')));
    expect(new Set(stored.map((each) => each.slice(0, 16))).size).to.equal(50);
  });

  // From openssl: printf saltsaltsaltsaltpass | openssl dgst -sha256, and printf password | openssl dgst -sha256.
  const salted = '8240b3bd9251be3fe5927f83867d0c529fdee583b37545f5895f7218afd8cba7';
  const bare = '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8';

  for (const [format, stored, password] of [
    ['a salted hash', `saltsaltsaltsalt${salted}`, 'pass'],
    ['a salted hash in upper case', `saltsaltsaltsalt${salted.toUpperCase()}`, 'pass'],
    ['a bare hash', bare, 'password'],
    ['a bare hash in upper case', bare.toUpperCase(), 'password'],
    ['a salt with letters beyond ASCII', `сольсольсольсоль${sha256Of('сольсольсольсольпароль')}`, 'пароль'],
    ['a salt of hex digits', `0123456789abcdef${sha256Of('0123456789abcdefpass')}`, 'pass'],
  ] as const) {
    it(`verifies ${format}`, async () => {
      const hash = await open();
      expect(await hash.verify(stored, password)).to.equal(true);
      expect(await hash.verify(stored, `${password}x`)).to.equal(false);
    });
  }

  it('rejects hashes of other lengths', async () => {
    const hash = await open();
    for (const stored of [`x${bare}`, `saltsaltsaltsal${sha256Of('saltsaltsaltsalpass')}`, `${bare}\n`, `${bare} `]) {
      expect(await hash.verify(stored, stored.startsWith('salt') ? 'pass' : 'password')).to.equal(false);
    }
  });

  it('does not accept the stored hash as the password', async () => {
    expect(await (await open()).verify(bare, bare)).to.equal(false);
  });
});
