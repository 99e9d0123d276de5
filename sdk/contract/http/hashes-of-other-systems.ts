import { expect } from 'chai';
import type { Account, Client } from './client.ts';
import type { Blocks, Harness } from './harness.ts';
import { hashing, put, refused, rehashedUser } from './password-migration.ts';

interface Sample {
  readonly accept: string | object;
  readonly stored: string;
  readonly password: string;
}

// The example of https://github.com/firebase/scrypt.
const signerKey = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==';

/** A hash of each kind from the documentation or the tests of a system that makes it. */
const samples: Readonly<Record<string, Sample>> = {
  'PBKDF2 of Ory Kratos': {
    accept: 'pbkdf2',
    stored:
      '$pbkdf2-sha256$i=100000,l=32$1jP+5Zxpxgtee/iPxGgOz0RfE9/KJuDElP1ley4VxXc$QJxzfvdbHYBpydCbHoFg3GJEqMFULwskiuqiJctoYpI',
    password: 'test',
  },
  'PBKDF2 of passlib': {
    accept: 'pbkdf2',
    stored: '$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44',
    password: 'password',
  },
  'PBKDF2 of Django': {
    accept: 'pbkdf2',
    stored: 'pbkdf2_sha256$390000$seasalt$8xBlGd3jVgvJ+92hWPxi5ww0uuAuAnKgC45eudxro7c=',
    password: 'lètmein',
  },
  'ASP.NET Core Identity 3': {
    accept: 'pbkdf2',
    stored: 'AQAAAAEAACcQAAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==',
    password: 'my password',
  },
  'ASP.NET Identity 2': {
    accept: 'pbkdf2',
    stored: 'AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg==',
    password: 'my password',
  },
  scrypt: {
    accept: 'scrypt',
    stored:
      '$scrypt$ln=14,r=8,p=1$2npRo7P03Mt8keSoMbyD/tKFWyUzjiQf2svUaNDSrhA=$MiCzNcIplSMqSBrm4HckjYqYhaVPPjTARTzwB1cVNYE=',
    password: 'test',
  },
  Firebase: {
    accept: { type: 'firebase-scrypt', signerKey },
    stored:
      '$firebase-scrypt$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
    password: 'user1password',
  },
  phpass: { accept: 'phpass', stored: '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0', password: 'test12345' },
  'SHA-256-crypt': {
    accept: 'sha-crypt',
    stored: '$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5',
    password: 'Hello world!',
  },
  'SHA-512-crypt': {
    accept: 'sha-crypt',
    stored:
      '$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.',
    password: 'Hello world!',
  },
  'salted SHA-1 of LDAP': {
    accept: 'salted-digest',
    stored: '{SSHA}pKqkNr1tq3wtQqk+UcPyA3HnA2NsU5NJ',
    password: 'password',
  },
  'salted MD5 of Django': {
    accept: 'salted-digest',
    stored: 'md5$seasalt$3f86d0d3d465b7b458c231bf3555c0e3',
    password: 'lètmein',
  },
};

const allAlgorithms = [...new Set(Object.values(samples).map(({ accept }) => accept))];
const replacing: Blocks = hashing('bcrypt', { cost: 5, rehash: true, accept: allAlgorithms });
const keeping: Blocks = hashing('bcrypt', {
  cost: 5,
  accept: allAlgorithms.filter((accept) => accept !== 'salted-digest'),
});

/** Hashes above the limits of their algorithms, and malformed ones. */
const unverifiable: Readonly<Record<string, string>> = {
  'PBKDF2 with 99,999,999 iterations':
    '$pbkdf2-sha256$i=99999999,l=32$1jP+5Zxpxgtee/iPxGgOz0RfE9/KJuDElP1ley4VxXc$QJxzfvdbHYBpydCbHoFg3GJEqMFULwskiuqiJctoYpI',
  'scrypt with 32 GiB': '$scrypt$ln=25,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  'phpass with 2 to the power of 30 rounds': '$P$SIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0',
  'SHA-256-crypt with 999,999,999 rounds': '$5$rounds=999999999$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5',
  'a truncated PBKDF2': '$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeY',
  'a truncated Identity 3': 'AQAAAAEAACcQAAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1',
  'a truncated salted SHA-1': '{SSHA}pKqkNr1tq3wtQqk+UcPyA3Hn',
};

/** Verification and replacement of hashes that other systems made. */
export const hashesOfOtherSystems = (harness: Harness): void => {
  /** A user whose stored hash another system made, and the password behind it. */
  const userWith = async (stored: string, password: string): Promise<Account> => {
    harness.leakDetector.addSecret(signerKey);
    const { client } = await harness.service(hashing('simple', { serverSideHash: false }));
    return { ...(await client.create({ password: stored })), password };
  };

  const expectBcrypt = async (client: Client, account: Account): Promise<void> => {
    const { user } = await client.read(account);
    expect(user.password).to.match(/^\$2b\$05\$/);
    for (const wrong of [`${account.password}x`, account.user.password]) await refused(client, account, wrong);
  };

  describe('hashes of other systems', () => {
    for (const [name, { accept, stored, password }] of Object.entries(samples)) {
      it(`checks a password of ${name}, and replaces its hash after the first successful check`, async () => {
        const account = await userWith(stored, password);
        const { client } = await harness.service(replacing);
        for (const wrong of [`${password}x`, stored]) await refused(client, account, wrong);
        expect((await client.read(account)).user).to.deep.equal(account.user);
        await rehashedUser(client, account);
        await expectBcrypt(client, account);
        // As after the migration, when nothing else is accepted.
        await expectBcrypt((await harness.service(hashing('bcrypt', { cost: 5 }))).client, account);
      });

      it(`keeps the password when an update repeats an earlier hash of ${name}`, async () => {
        const account = await userWith(stored, password);
        const { client } = await harness.service(replacing);
        await client.read(account);
        const { password: current } = await rehashedUser(client, account);
        const response = await put(client, account, { password: stored, plan: 'paid' });
        expect(response.status).to.equal(200);
        expect(response.user.password).to.equal(current);
      });

      if (accept !== 'salted-digest')
        it(`keeps a hash of ${name} without rehash, also when an update repeats it or its password`, async () => {
          const account = await userWith(stored, password);
          const { client } = await harness.service(keeping);
          await client.read(account);
          for (const repeated of [stored, password])
            expect((await put(client, account, { password: repeated })).user.password).to.equal(stored);
          const changed = `${password} changed`;
          expect((await put(client, account, { password: changed })).user.password).to.match(/^\$2b\$05\$/);
          await refused(client, account, password);
          await client.read({ ...account, password: changed });
        });
    }

    for (const [name, stored] of Object.entries(unverifiable)) {
      it(`401 for ${name}`, async () => {
        const account = await userWith(stored, 'password');
        const { client } = await harness.service(replacing);
        for (const password of ['password', stored]) await refused(client, account, password);
      });
    }

    it('treats a new password that looks like a hash of another system as a password', async () => {
      const { client } = await harness.service(replacing);
      const forms = [...Object.values(samples).map(({ stored }) => stored), ...Object.values(unverifiable)];
      // bcrypt refuses longer passwords.
      for (const password of forms.filter((form) => form.length <= 72)) {
        const account = await client.create();
        expect((await put(client, account, { password })).user.password).to.match(/^\$2b\$05\$/);
        await client.read({ ...account, password });
        await refused(client, account, account.password);
      }
    });
  });
};
