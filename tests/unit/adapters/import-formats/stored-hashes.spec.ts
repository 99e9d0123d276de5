import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { algorithmOf, unusableHash } from '../../../../adapters/import-formats/stored-hashes.ts';
import { argon2 } from '../../../../adapters/password-hashes/argon2.ts';
import { bcrypt } from '../../../../adapters/password-hashes/bcrypt.ts';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import { simple } from '../../../../adapters/password-hashes/simple.ts';
import type { PasswordHash } from '../../../../application/ports/password-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';

const password = 'correct horse';

const algorithms: Readonly<Record<string, () => Promise<PasswordHash>>> = {
  argon2: () => argon2.open({ memoryKiB: 19_456, passes: 2, parallelism: 1 }, silentContext),
  bcrypt: () => bcrypt.open({ cost: 4 }, silentContext),
  sha256: () => sha256.open({}, silentContext),
};

describe('the stored hash of a user without a password', () => {
  for (const [name, open] of Object.entries(algorithms))
    it(`is another one for each user, costs a check like any other, and matches no password: ${name}`, async () => {
      const algorithm = await open();
      const example = await algorithm.hash(password);
      const hashes = Array.from({ length: 500 }, () => unusableHash(example) ?? 'none');
      expect(new Set(hashes).size).to.equal(hashes.length);
      for (const hash of hashes) {
        expect(algorithm.inspect(hash)).to.equal('current');
        expect(hash).to.have.lengthOf(example.length);
      }
      expect(await algorithm.verify(hashes[0] ?? '', password)).to.equal(false);
      expect(await algorithm.verify(hashes[0] ?? '', '')).to.equal(false);
    });

  it('has the costs of new hashes', async () => {
    const stored = await (await bcrypt.open({ cost: 5 }, silentContext)).hash(password);
    expect(unusableHash(stored)).to.match(/^\$2b\$05\$/);
    expect(unusableHash('$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2hoYXNo')).to.match(
      /^\$argon2id\$v=19\$m=65536,t=3,p=4\$[^$]{11}\$[^$]{16}$/,
    );
  });

  it('is not made of a hash whose form is not known, so that a random password is hashed', async () => {
    const stored = await (await simple.open({}, silentContext)).hash(randomUUID());
    expect(unusableHash(stored)).to.equal(undefined);
    expect(unusableHash('{NEW}c29tZXRoaW5n')).to.equal(undefined);
  });
});

describe('the algorithm that an import needs for a stored hash', () => {
  const hex = '0'.repeat(64);
  for (const [stored, name] of [
    [`AQAAAAEAACcQAAAAE${'A'.repeat(67)}==`, 'pbkdf2'],
    [`{SSHA}${'A'.repeat(32)}`, 'salted-digest'],
    [`{ssha256}${'A'.repeat(48)}`, 'salted-digest'],
    [`MD5$salt$${'0'.repeat(32)}`, 'salted-digest'],
    [hex, 'sha256'],
    [`sixteen letters!${hex}`, 'sha256'],
    [`$2b$10$.........${hex}`, 'sha256'],
    [`with a line end\n${hex}`, 'sha256'],
  ] as const)
    it(`is ${name}: ${JSON.stringify(stored)}`, () => expect(algorithmOf(stored)).to.equal(name));
});
