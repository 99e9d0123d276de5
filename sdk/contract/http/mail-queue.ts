import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { ReceivedMail } from '../received-mail.ts';
import { administrated } from './administration.ts';
import { newAddress } from './client.ts';
import type { Harness, QueuedEmail, TestService } from './harness.ts';
import { linkOf } from './mails.ts';
import { scraped } from './metrics.ts';

const pollMs = 50;
/** Longer than the delay of the first retry and the interval of the polls. */
const retryTimeoutMs = 20_000;

/** Mails that are stored with their token and sent afterwards (`email.queue`), for stores with an event outbox. */
export const mailQueue = (harness: Harness): void => {
  describe('queued mails', () => {
    const tokenLifetimeMs = 2_000;
    let email: QueuedEmail;
    let service: Awaited<ReturnType<typeof administrated>>;

    const start = (blocks = {}) => administrated(harness, { email: { ...email, ...blocks } });

    /** The mails to an address, once there are `count`. */
    const mailsTo = async (address: string, count = 1, timeoutMs = 5_000): Promise<readonly ReceivedMail[]> => {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        const mails = (await harness.mailsIn(email.directory)).filter(({ to }) => to === address);
        if (mails.length >= count) return mails;
        if (performance.now() > deadline) throw new Error(`${mails.length} of ${count} mails arrived`);
        await sleep(pollMs);
      }
    };

    /** Runs `work` while the folder of the mails is a file, so that no mail can be written. */
    const duringOutage = async (work: () => Promise<void>): Promise<void> => {
      await rename(email.directory, `${email.directory}.aside`);
      await writeFile(email.directory, 'a file');
      try {
        await work();
      } finally {
        await rm(email.directory);
        await rename(`${email.directory}.aside`, email.directory);
      }
    };

    const healthOf = async ({
      adminUrl,
    }: TestService): Promise<{ readonly healthy: boolean; readonly message: string }> =>
      Object(await (await fetch(`${adminUrl}/healthcheck`)).json()).mails;

    before(async () => {
      email = await harness.queuedEmail();
      await mkdir(email.directory, { recursive: true });
      if (!harness.lacks('events')) service = await start();
    });

    if (harness.lacks('events')) {
      it('are refused at the start', async () => {
        let refused: unknown;
        await start().catch((error: unknown) => {
          refused = error;
        });
        expect(refused).to.have.property('message').that.includes('cannot store mails');
      });
      return;
    }

    it('arrive with the link of the stored token', async () => {
      const { client } = service;
      const account = await client.create();
      const token = await client.token(account);
      const [mail] = await mailsTo(account.address);
      expect(mail?.text).to.include(linkOf(account.address, token));
      expect((await client.get('/verify', { query: { email: account.address, token } })).status).to.equal(200);
    });

    it('arrive once for each of many concurrent requests', async () => {
      const { client } = service;
      const accounts = await Promise.all(Array.from({ length: 20 }, () => client.create()));
      await Promise.all(accounts.map((account) => client.token(account)));
      await Promise.all(accounts.map(({ address }) => mailsTo(address)));
      await sleep(10 * pollMs);
      for (const { address } of accounts) expect(await mailsTo(address)).to.have.lengthOf(1);
    });

    it('are not sent for a refused request', async () => {
      const { client } = service;
      const account = await client.create();
      const query = { email: account.address };
      expect((await client.post('/verify', { query, password: 'wrong' })).status).to.equal(401);
      const other = await client.create({ address: newAddress() });
      await client.token(other);
      await mailsTo(other.address);
      expect(await mailsTo(account.address, 0)).to.deep.equal([]);
    });

    it('do not let the caller wait for the mail provider, and arrive once when it is available again', async function () {
      this.timeout(retryTimeoutMs + 10_000);
      const { client } = service;
      const account = await client.create();
      await duringOutage(async () => {
        const token = await client.token(account);
        expect((await client.read(account)).user.email.verificationToken).to.equal(token);
        await sleep(10 * pollMs);
        const { healthy, message } = await healthOf(service);
        expect(healthy).to.equal(true);
        expect(message).to.match(/^cannot write a mail to the outbox .*, \d+ waiting/);
        const listed = await service.root.get('/admin/mails', {});
        expect(listed.status, listed.text).to.equal(200);
        const waiting = Object(listed.json).mails.find(({ to }: { readonly to: unknown }) => to === account.address);
        expect(waiting).to.include({ kind: 'verification', attempts: 1 });
        expect(waiting.nextAttempt).to.be.above(waiting.since);
        const page = await service.root.get('/admin/waiting-mails', {});
        expect(page.text).to.include(account.address);
        for (const { text } of [listed, page]) expect(text).to.not.include(token).and.not.include('/verify');
      });
      const [mail] = await mailsTo(account.address, 1, retryTimeoutMs);
      expect(mail?.subject).to.equal('Account Verification');
      await sleep(10 * pollMs);
      expect(await mailsTo(account.address)).to.have.lengthOf(1);
      expect((await healthOf(service)).message).to.match(/^queued mails are sent, \d+ waiting/);
    });

    it('are not sent after their link has expired', async function () {
      this.timeout(retryTimeoutMs + 10_000);
      const expiring = await start({ tokenLifetime: `${tokenLifetimeMs}ms` });
      const account = await expiring.client.create();
      const other = await service.client.create();
      await duringOutage(async () => {
        await expiring.client.token(account);
        await service.client.token(other);
        await sleep(tokenLifetimeMs);
      });
      await mailsTo(other.address, 1, retryTimeoutMs);
      await sleep(10 * pollMs);
      expect(await mailsTo(account.address, 0)).to.deep.equal([]);
      const totals = await Promise.all(
        [service, expiring].map(async ({ adminUrl }) =>
          (await scraped(adminUrl)).at('latchkey_queued_mails_expired_total'),
        ),
      );
      expect(totals.reduce((sum, total) => sum + total, 0)).to.equal(1);
    });

    it('are not listed where none are queued', async () => {
      const { root } = await administrated(harness);
      for (const path of ['/admin/mails', '/admin/waiting-mails'])
        expect((await root.get(path, {})).status, path).to.equal(404);
      expect((await root.get('/admin', {})).text).to.not.include('mails');
      expect((await service.root.get('/admin', {})).text).to.include('/admin/waiting-mails');
    });

    it('are counted', async () => {
      const { at, text } = await scraped(service.adminUrl);
      expect(at('latchkey_queued_mails_sent_total')).to.be.above(0);
      expect(at('latchkey_queued_mails_refused_total')).to.equal(0);
      expect(text).to.match(/^latchkey_queued_mails_waiting \d+$/m);
    });
  });
};
