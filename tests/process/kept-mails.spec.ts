import { expect } from 'chai';
import { clientHeaders, createUser, eachWithInstallation } from './installation.ts';

describe('the outbox of a service', () => {
  const installation = eachWithInstallation();
  const headers = { ...clientHeaders, password: 'correct horse' };

  for (const workers of [1, 2]) {
    it(`is shown on the admin port, with ${workers === 1 ? 'one process' : 'several workers'}`, async () => {
      await installation().configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, workers } });
      const { run, url, adminUrl } = await installation().serve();
      expect(run.stderr).to.match(new RegExp(`Outbox: +${adminUrl}/outbox\n`));
      expect(await createUser(url, 'jane@example.com')).to.equal(201);
      const asked = await fetch(`${url}/verify?email=jane@example.com`, { method: 'POST', headers });
      expect(asked.status).to.equal(200);
      const page = await fetch(`${adminUrl}/outbox`);
      expect(page.status).to.equal(200);
      expect(await page.text()).to.include('<dd>jane@example.com</dd>');
    });
  }

  it('does not exist without the outbox mailer', async () => {
    await installation().configure({ email: { type: 'none' } });
    const { run, adminUrl } = await installation().serve();
    expect(run.stderr).not.to.include('Outbox');
    expect((await fetch(`${adminUrl}/outbox`)).status).to.equal(404);
  });
});
