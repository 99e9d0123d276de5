import { expect } from 'chai';
import { pbkdf2 } from '../../../../adapters/password-hashes/pbkdf2.ts';
import { slowHashes } from '../../../../adapters/password-hashes/slow-hashes.ts';
import { hashVerifierContract } from '../../../../sdk/contract/password-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { expectNoHash } from './expect-no-hash.ts';

const open = () => pbkdf2.open({}, silentContext);
const base64 = (text: string, encoding: 'utf8' | 'hex' = 'utf8') =>
  Buffer.from(text, encoding).toString('base64').replace(/=+$/, '');
/** A PHC string for a test vector, whose key is hexadecimal. */
const phc = (digest: string, iterations: number, salt: string, key: string) =>
  `$pbkdf2-${digest}$i=${iterations},l=${key.length / 2}$${base64(salt)}$${base64(key, 'hex')}`;

const vectors: Readonly<Record<string, string>> = {
  // RFC 6070.
  [phc('sha1', 1, 'salt', '0c60c80f961f0e71f3a9b524af6012062fe037a6')]: 'password',
  [phc('sha1', 2, 'salt', 'ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957')]: 'password',
  [phc('sha1', 4096, 'salt', '4b007901b765489abead49d926f721d065a429c1')]: 'password',
  [phc('sha1', 4096, 'saltSALTsaltSALTsaltSALTsaltSALTsalt', '3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038')]:
    'passwordPASSWORDpassword',
  [phc('sha1', 4096, 'sa\0lt', '56fa6aa75548099dcc37d7f03425e0c3')]: 'pass\0word',
  // RFC 7914, section 11.
  [phc(
    'sha256',
    1,
    'salt',
    '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc' +
      '49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783',
  )]: 'passwd',
  // Ory Kratos, hash/hasher_test.go.
  '$pbkdf2-sha256$i=100000,l=32$1jP+5Zxpxgtee/iPxGgOz0RfE9/KJuDElP1ley4VxXc$QJxzfvdbHYBpydCbHoFg3GJEqMFULwskiuqiJctoYpI':
    'test',
  // passlib, documentation of passlib.hash.pbkdf2_sha256.
  '$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44': 'password',
  '$pbkdf2-sha256$8000$XAuBMIYQQogxRg$tRRlz8hYn63B9LYiCd6PRo6FMiunY9ozmMMI3srxeRE': 'password',
  // ASP.NET Core, src/Identity/test/Identity.Test/PasswordHasherTest.cs: version 2, then version 3 with its digests.
  'ANXrDknc7fGPpigibZXXZFMX4aoqz44JveK6jQuwY3eH/UyPhvr5xTPeGYEckLxz9A==': 'my password',
  'AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg==': 'my password',
  'AQAAAAIAAAAyAAAAEOMwvh3+FZxqkdMBz2ekgGhwQ4B6pZWND6zgESBuWiHw': 'my password',
  'AQAAAAIAAAD6AAAAIJbVi5wbMR+htSfFp8fTw8N8GOS/Sje+S/4YZcgBfU7EQuqv4OkVYmc4VJl9AGZzmRTxSkP7LtVi9IWyUxX8IAAfZ8v+ZfhjCcudtC1YERSqE1OEdXLW9VukPuJWBBjLuw==':
    'my password',
  'AQAAAAAAAAD6AAAAEAhftMyfTJylOlZT+eEotFXd1elee8ih5WsjXaR3PA9M': 'my password',
  'AQAAAAEAACcQAAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==': 'my password',
};

const expensiveVectors: Readonly<Record<string, string>> = {
  // Django, tests/auth_tests/test_hashers.py.
  'pbkdf2_sha256$390000$seasalt$8xBlGd3jVgvJ+92hWPxi5ww0uuAuAnKgC45eudxro7c=': 'lètmein',
  // Ory Kratos, hash/hasher_test.go.
  '$pbkdf2-sha512$i=100000,l=32$bdHBpn7OWOivJMVJypy2UqR0UnaD5prQXRZevj/05YU$+wArTfv1a+bNGO1iZrmEdVjhA+lL11wF4/IxpgYfPwc':
    'test',
  // ASP.NET Core, src/Identity/test/Identity.Test/PasswordHasherTest.cs.
  'AQAAAAEAA9CQAAAAIESkQuj2Du8Y+kbc5lcN/W/3NiAZFEm11P27nrSN5/tId+bR1SwV8CO1Jd72r4C08OLvplNlCDc3oQZ8efcW+jQ=':
    'my password',
};

hashVerifierContract('pbkdf2', open, vectors);

describe('pbkdf2', () => {
  for (const [stored, password] of Object.entries(expensiveVectors)) {
    it(`verifies ${stored.slice(0, 40)}, and reports it as expensive`, async () => {
      const hash = await open();
      expect(hash.inspect(stored)).to.equal('expensive');
      expect(await hash.verify(stored, password)).to.equal(true);
      expect(await hash.verify(stored, `${password}z`)).to.equal(false);
    });
  }

  const key = base64('k'.repeat(32));
  const salt = base64('a salt of 16 bytes');

  it('reads $pbkdf2$ and $pbkdf2-sha1$ as SHA-1, keys without l=, and base64 with padding', async () => {
    const hash = await open();
    const digest = base64('4b007901b765489abead49d926f721d065a429c1', 'hex');
    for (const stored of [
      `$pbkdf2$4096$c2FsdA$${digest}`,
      `$pbkdf2-sha1$i=4096$c2FsdA$${digest}`,
      `$pbkdf2-sha1$i=4096,l=20$c2FsdA==$${digest}=`,
      `pbkdf2_sha1$4096$salt$${digest}=`,
    ]) {
      expect(await hash.verify(stored, 'password'), stored).to.equal(true);
      expect(await hash.verify(stored, 'Password'), stored).to.equal(false);
    }
  });

  it('distinguishes a password from one with NUL characters behind it, which HMAC ignores', async () => {
    const hash = await open();
    const stored = '$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44';
    for (const other of ['password\0', 'password\0\0\0']) expect(await hash.verify(stored, other)).to.equal(false);
  });

  it('limits the iterations, counted again for each further digest of the key', async () => {
    const hash = await open();
    const longKey = base64('k'.repeat(64));
    for (const [stored, expected] of [
      [`$pbkdf2-sha256$i=6000000$${salt}$${key}`, 'expensive'],
      [`$pbkdf2-sha256$i=6000001$${salt}$${key}`, 'foreign'],
      [`$pbkdf2-sha256$i=3000000,l=64$${salt}$${longKey}`, 'expensive'],
      [`$pbkdf2-sha256$i=3000001,l=64$${salt}$${longKey}`, 'foreign'],
      [`$pbkdf2-sha512$i=3000000,l=64$${salt}$${longKey}`, 'expensive'],
      [`$pbkdf2-sha512$i=3000001,l=64$${salt}$${longKey}`, 'foreign'],
      [`$pbkdf2-sha256$i=99999999$${salt}$${key}`, 'foreign'],
      [`$pbkdf2-sha256$i=200000$${salt}$${key}`, 'outdated'],
      [`$pbkdf2-sha256$i=200001$${salt}$${key}`, 'expensive'],
      [`pbkdf2_sha256$6000001$seasalt$${key}=`, 'foreign'],
      // 16,777,216 iterations in the version 3 of ASP.NET Core Identity.
      [
        Buffer.concat([Buffer.from('010000000101000000' + '00000010', 'hex'), Buffer.alloc(48)]).toString('base64'),
        'foreign',
      ],
    ] as const)
      expect(hash.inspect(stored), stored).to.equal(expected);
  });

  describe('rejects without computing a hash', () => {
    for (const [form, stored] of [
      ['too many iterations', `$pbkdf2-sha256$i=99999999$${salt}$${key}`],
      ['more digits', `$pbkdf2-sha256$i=4294967297$${salt}$${key}`],
      ['no iterations', `$pbkdf2-sha256$i=0$${salt}$${key}`],
      ['another digest', `$pbkdf2-md5$i=1000$${salt}$${key}`],
      ['a name of Object.prototype', `$pbkdf2-constructor$i=1000$${salt}$${key}`],
      ['another length', `$pbkdf2-sha256$i=1000,l=31$${salt}$${key}`],
      ['a key of 15 bytes', `$pbkdf2-sha256$i=1000$${salt}$${base64('k'.repeat(15))}`],
      ['a key of 129 bytes', `$pbkdf2-sha256$i=1000$${salt}$${base64('k'.repeat(129))}`],
      // The last character has bits that stand for no byte.
      [
        'base64 with other bits in its last character',
        '$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD45',
      ],
      ['no salt field', `$pbkdf2-sha256$i=1000$${key}`],
      ['a further field', `$pbkdf2-sha256$i=1000$${salt}$${key}$`],
      ['a line end', `$pbkdf2-sha256$i=1000$${salt}$${key}\n`],
      // PasswordHasherTest.cs, VerifyHashedPassword_FailureCases: too short, and with extra data at the end.
      ['a short Identity 2', 'AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggE='],
      ['a long Identity 2', 'AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJgAAAAAAAAAAAAA='],
      ['a short Identity 3', 'AQAAAAIAAAAyAAAAEOMwvh3+FZxqkdMBz2ekgGhwQ4A='],
      ['Identity 3 with another digest', 'AQAAAAMAAAAyAAAAEOMwvh3+FZxqkdMBz2ekgGhwQ4B6pZWND6zgESBuWiHw'],
      ['Identity 3 with a salt of 4 GiB', 'AQAAAAIAAAAy/////+Mwvh3+FZxqkdMBz2ekgGhwQ4B6pZWND6zgESBuWiHw'],
    ] as const) {
      it(form, async () => {
        const hash = await open();
        await expectNoHash(slowHashes, () => hash.verify(stored, 'my password'));
        expect(hash.inspect(stored)).to.equal('foreign');
      });
    }
  });
});
