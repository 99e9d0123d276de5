import { expect } from 'chai';
import { isLeft } from 'fp-ts/lib/Either.js';
import { firebaseScrypt, scrypt } from '../../../../adapters/password-hashes/scrypt.ts';
import { slowHashes } from '../../../../adapters/password-hashes/slow-hashes.ts';
import { hashVerifierContract } from '../../../../sdk/contract/password-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { expectNoHash } from './expect-no-hash.ts';

const open = (hashMemoryKiB?: number) =>
  scrypt.open({}, hashMemoryKiB === undefined ? silentContext : { ...silentContext, hashMemoryKiB });
const base64 = (text: string, encoding: 'utf8' | 'hex' = 'utf8') =>
  Buffer.from(text, encoding).toString('base64').replace(/=+$/, '');

// RFC 7914, section 12.
const rfcVectors = [
  [
    'ln=4,r=1,p=1',
    '',
    '',
    '77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906',
  ],
  [
    'ln=10,r=8,p=16',
    'NaCl',
    'password',
    'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
  ],
  [
    'ln=14,r=8,p=1',
    'SodiumChloride',
    'pleaseletmein',
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
  ],
].map(([costs = '', salt = '', password = '', key = '']) => ({
  stored: `$scrypt$${costs}$${base64(salt)}$${base64(key, 'hex')}`,
  password,
}));

hashVerifierContract(
  'scrypt',
  open,
  Object.fromEntries(rfcVectors.slice(0, 1).map(({ stored, password }) => [stored, password])),
);

const salt = base64('a salt of 16 bytes');
const key = base64('k'.repeat(32));
const withCosts = (costs: string) => `$scrypt$${costs}$${salt}$${key}`;

describe('scrypt', () => {
  for (const { stored, password } of [
    ...rfcVectors,
    // Documentation of passlib.hash.scrypt.
    {
      stored: '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
      password: 'password',
    },
    // Ory Kratos, hash/hasher_test.go, which writes N instead of its logarithm.
    {
      stored:
        '$scrypt$ln=14,r=8,p=1$2npRo7P03Mt8keSoMbyD/tKFWyUzjiQf2svUaNDSrhA=$MiCzNcIplSMqSBrm4HckjYqYhaVPPjTARTzwB1cVNYE=',
      password: 'test',
    },
  ]) {
    it(`verifies ${stored.slice(0, 40)}`, async () => {
      const hash = await open();
      expect(await hash.verify(stored, password)).to.equal(true);
      expect(await hash.verify(stored, `${password}z`)).to.equal(false);
    });
  }

  it('computes a hash for every combination of costs in the bounds', async () => {
    const hash = await open();
    const inBounds = ['ln=1,r=1,p=1', 'ln=15,r=1,p=1', 'ln=1,r=999,p=1', 'ln=4,r=8,p=999', 'ln=10,r=1,p=16'];
    for (const costs of inBounds) {
      expect(hash.inspect(withCosts(costs)), costs).to.equal('outdated');
      expect(await hash.verify(withCosts(costs), 'secret')).to.equal(false);
    }
  });

  it('reports a hash as expensive that needs more than 16 MiB over all of p, and rejects 512 MiB', async () => {
    const hash = await open();
    for (const [costs, expected] of [
      ['ln=14,r=8,p=1', 'outdated'],
      ['ln=14,r=8,p=2', 'expensive'],
      ['ln=15,r=8,p=1', 'expensive'],
      ['ln=17,r=8,p=4', 'expensive'],
      ['ln=19,r=8,p=1', 'expensive'],
      ['ln=17,r=8,p=5', 'foreign'],
      ['ln=20,r=8,p=1', 'foreign'],
    ] as const)
      expect(hash.inspect(withCosts(costs)), costs).to.equal(expected);
  });

  it('rejects a hash above the memory limit without computing it', async () => {
    const stored = withCosts('ln=14,r=8,p=1');
    expect((await open(16 * 1024)).inspect(stored)).to.equal('outdated');
    const hash = await open(16 * 1024 - 1);
    expect(hash.inspect(stored)).to.equal('foreign');
    await expectNoHash(slowHashes, () => hash.verify(stored, 'secret'));
  });

  describe('rejects without computing a hash', () => {
    for (const costs of [
      'ln=0,r=8,p=1',
      'ln=14,r=0,p=1',
      'ln=14,r=8,p=0',
      // N must be less than 2 to the power of 16 r (RFC 7914, section 2).
      'ln=16,r=1,p=1',
      'ln=31,r=8,p=1',
      'ln=16384,r=8,p=1',
      'ln=99,r=999,p=999',
      'ln=14,r=8',
      'r=8,ln=14,p=1',
      '',
    ]) {
      it(`the costs ${costs || '(none)'}`, async () => {
        const hash = await open();
        await expectNoHash(slowHashes, () => hash.verify(withCosts(costs), 'secret'));
        expect(hash.inspect(withCosts(costs))).to.equal('foreign');
      });
    }
  });
});

// The example of https://github.com/firebase/scrypt.
const project = {
  signerKey: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  saltSeparator: 'Bw==',
  rounds: 8,
  memCost: 14,
};
const stored =
  '$firebase-scrypt$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==';

hashVerifierContract('firebase-scrypt', () => firebaseScrypt.open(project, silentContext), {
  [stored]: 'user1password',
});

describe('firebase-scrypt', () => {
  it('verifies a hash of another project with its parameters (Ory Kratos, hash/hasher_test.go)', async () => {
    const signerKey = 'YE0dO4bwD4JnJafh6lZZfkp1MtKzuKAXQcDCJNJNyeCHairWHKENOkbh3dzwaCdizzOspwr/FITUVlnOAwPKyw==';
    const hash = await firebaseScrypt.open({ ...project, signerKey }, silentContext);
    const form =
      '$firebase-scrypt$sPtDhWcd1MfdAw==$xbSou7FOl6mChCyzpCPIQ7tku7nsQMTFtyOZSXXd7tjBa4NtimOx7v42Gv2SfzPQu1oxM2/k4SsbOu73wlKe1A==';
    expect(await hash.verify(form, '8x4WjoDbSxJZdR')).to.equal(true);
    expect(await hash.verify(stored, 'user1password')).to.equal(false);
  });

  it('has the usual parameters of Firebase as defaults, and requires the key', () => {
    const { signerKey } = project;
    expect(firebaseScrypt.configuration.decode({ signerKey })).to.deep.include({ _tag: 'Right', right: project });
    for (const wrong of [
      {},
      { signerKey: 'not base64!' },
      { signerKey: 'c2hvcnQ=' },
      { signerKey, rounds: 9 },
      { signerKey, memCost: 15 },
      { signerKey, saltSeparator: '' },
    ])
      expect(isLeft(firebaseScrypt.configuration.decode(wrong)), JSON.stringify(wrong)).to.equal(true);
  });
});
