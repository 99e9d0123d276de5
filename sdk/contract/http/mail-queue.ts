import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { ReceivedMail } from '../received-mail.ts';
import { administrated } from './administration.ts';
import { newAddress } from './client.ts';
import type { Blocks, Harness, QueuedEmail, TestService } from './harness.ts';
import { linkOf } from './mails.ts';
import { scraped } from './metrics.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const pollMs = 50;

/** The result of `work`, which is repeated until it throws nothing. */
const eventually = async <Result>(work: () => Promise<Result>, timeoutMs: number): Promise<Result> => {
  for (const end = performance.now() + timeoutMs; ; await sleep(pollMs)) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
};
/** Longer than the delay of the first retry and the interval of the polls. */
const retryTimeoutMs = 20_000;

/** Mails that are stored with their token and sent afterwards (`email.queue`), for stores with an event outbox. */
export const mailQueue = (harness: Harness): void => {
  describe('queued mails', () => {
    const tokenLifetimeMs = 2_000;
    let email: QueuedEmail;
    let service: Awaited<ReturnType<typeof administrated>>;

    const start = (options: object = {}, blocks: Blocks = {}) =>
      administrated(harness, { ...blocks, email: { ...email, ...options } });

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

    it('are changed by their ids only', async () => {
      for (const id of ['nothing', '%2F', 'a'.repeat(65)]) {
        const expected = id === 'nothing' ? '404 mail_not_found' : '400 invalid_parameter';
        expect((await service.root.post(`/admin/mails/${id}/retry`)).refusal, id).to.equal(expected);
        expect((await service.root.delete(`/admin/mails/${id}`)).refusal, id).to.equal(expected);
      }
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
      if (harness.lacks('listing')) return;
      expect((await root.get('/admin', {})).text).to.not.include('mails');
      expect((await service.root.get('/admin', {})).text).to.include('/admin/waiting-mails');
    });

    it('are counted', async () => {
      const { at, text } = await scraped(service.adminUrl);
      expect(at('latchkey_queued_mails_sent_total')).to.be.above(0);
      expect(at('latchkey_queued_mails_refused_total')).to.equal(0);
      expect(text).to.match(/^latchkey_queued_mails_waiting \d+$/m);
    });

    it('are sent again and discarded by administrators, who are audited with the recipient', async function () {
      this.timeout(retryTimeoutMs + 10_000);
      const file = `${await harness.file('audit-of-mails', '')}-lines.jsonl`;
      const receiver = await WebhookReceiver.open();
      try {
        const webhook = { url: `${receiver.url}/mails`, secret: receiver.secret, types: ['mail.failed'] };
        const { client, root } = await start({}, { audit: { file }, events: { webhooks: [webhook] } });
        const [kept, discarded] = [await client.create(), await client.create()];
        const listed = async (address: string) =>
          Object((await root.get('/admin/mails', {})).json).mails.find(({ to }: { to: unknown }) => to === address);
        await duringOutage(async () => {
          await client.token(kept);
          await client.token(discarded);
          const { id } = await listed(kept.address);
          // Until its first attempt has failed, it is in delivery.
          await eventually(async () => {
            const { status, json, text } = await root.post(`/admin/mails/${id}/retry`);
            expect(status, text).to.equal(200);
            expect(json).to.include({ id, to: kept.address });
            // The next attempt would be five seconds later.
          }, 4_000);
          const other = await listed(discarded.address);
          const outcome = await eventually(async () => {
            const response = await root.delete(`/admin/mails/${other.id}`);
            expect(response.status, response.text).to.equal(200);
            return response;
          }, retryTimeoutMs);
          expect(outcome.json).to.include({ id: other.id, to: discarded.address, kind: 'verification' });
          expect(await listed(discarded.address)).to.equal(undefined);
          for (const again of [
            await root.delete(`/admin/mails/${other.id}`),
            await root.post(`/admin/mails/${other.id}/retry`),
          ])
            expect(again.refusal).to.equal('404 mail_not_found');
        });
        const [told] = await receiver.until('/mails', 1);
        expect(JSON.parse(told?.body ?? '').data).to.deep.equal({
          kind: 'verification',
          email: { address: discarded.address },
        });
        await mailsTo(kept.address, 1, retryTimeoutMs);
        expect(await mailsTo(discarded.address, 0)).to.deep.equal([]);
        const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => /"(?:retry|discard)Mail"/.test(line));
        const [retry, discard] = ['retryMail', 'discardMail'].map((operation) =>
          lines.map((line) => JSON.parse(line)).find((line) => line.operation === operation && line.outcome === 'ok'),
        );
        expect(retry).to.include({ client: 'root', user: kept.address });
        expect(discard).to.include({ client: 'root', user: discarded.address });
      } finally {
        await receiver.close();
      }
    });
  });
};
