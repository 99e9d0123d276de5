import { expect } from 'chai';
import { UnexpectedResponse } from '../../../../sdk/client/index.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';
import { startLatchkey } from '../../../../sdk/testing/start-latchkey.ts';
import { eventually } from '../../../support/eventually.ts';

const userOf = (address: string) => ({ email: { address }, password: 'correct horse' });

describe('the client of a service with quiet sign-ups', () => {
  it('gets the same result for every address, of which the mail in the language of the person tells', async () => {
    const latchkey = await startLatchkey({
      passwordHash: { algorithm: 'sha256', serverSideHash: true },
      passwordRules: {},
      server: { publicUrl: 'https://users.example.com' },
      email: { queue: true, locales: ['de'] },
      privacy: { hideUnknownUsers: true },
      signUp: { quiet: { url: 'https://app.example.com/sign-in' } },
    });
    try {
      const { client, mails } = latchkey;
      await client.createUser(userOf('known@example.com'));
      for (const name of ['known', 'unknown'])
        expect(await client.signUp(userOf(`${name}@example.com`), { acceptLanguage: 'de' })).to.deep.equal({
          ok: true,
        });
      const weak = await client.signUp({ ...userOf('known@example.com'), password: 'short' });
      expect(weak.ok ? undefined : weak.problem.code).to.equal('weak_password');
      await eventually(async () => {
        const received = mails.map(({ to, subject }) => [to, subject]);
        expect(received).to.have.deep.members([
          ['known@example.com', 'Sie haben schon ein Konto'],
          ['unknown@example.com', 'Bestätigen Sie Ihre E-Mail-Adresse'],
        ]);
      }, 10_000);
      const created = { email: 'unknown@example.com', password: 'correct horse' };
      expect(await client.checkPassword(created)).to.deep.equal({ ok: true });
    } finally {
      await latchkey.stop();
    }
  });

  it('is told of a service that does not allow them, which created the user', async () => {
    const latchkey = await startLatchkey({});
    try {
      const error = await rejection(latchkey.client.signUp(userOf('jane@example.com')));
      const message = 'the response with status 201 is not one of Latchkey to this call';
      expect(error).to.be.instanceOf(UnexpectedResponse).and.include({ status: 201, message });
    } finally {
      await latchkey.stop();
    }
  });
});
