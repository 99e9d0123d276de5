import { expect } from 'chai';
import { readMail } from '../../sdk/contract/received-mail.ts';
import { eventually } from '../support/eventually.ts';
import { type Certificate, certificateFor, type MailServer, startMailServer } from '../support/mail-server.ts';
import { clientHeaders, createUser, eachWithInstallation, type Serving } from './installation.ts';

const password = 'correct horse';
const admin = { application: 'root', secret: 'of the administrator of the mails' };
/** The replies to recipients, by the start of their addresses (RFC 5321, section 4.2.2). */
const refusals = { refused: 550, full: 452 };
const adminHeaders = {
  Authorization: `Basic ${Buffer.from(`${admin.application}:${admin.secret}`).toString('base64')}`,
};

/** A stand-in for a mail provider that refuses recipients that start with `refused`, and those with `full` for now. */
const startProvider = (certificate: Certificate, port = 0): Promise<MailServer> =>
  startMailServer(
    certificate,
    {
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      onRcptTo: ({ address }, _session, done) => {
        const responseCode = Object.entries(refusals).find(([start]) => address.startsWith(start))?.[1];
        done(responseCode === undefined ? null : Object.assign(new Error('refused'), { responseCode }));
      },
    },
    port,
  );

describe('the queue of mails in processes', function () {
  this.timeout(60_000);
  const installation = eachWithInstallation();
  let certificate: Certificate;
  let provider: MailServer;

  before(async () => {
    certificate = await certificateFor('localhost');
  });
  after(() => certificate.remove());
  beforeEach(async () => {
    provider = await startProvider(certificate);
  });
  afterEach(() => provider.close());

  const configure = (blocks: object = {}, email: object = {}): Promise<void> =>
    installation().configure({
      server: { host: '127.0.0.1', port: 0, adminPort: 0 },
      email: {
        type: 'smtp',
        host: '127.0.0.1',
        port: provider.port,
        fromAddress: 'a@example.com',
        queue: true,
        ...email,
      },
      admin: { keys: [admin] },
      ...blocks,
    });

  const requestMail = async ({ url }: Serving, address: string): Promise<void> => {
    expect(await createUser(url, address)).to.equal(201);
    const headers = { ...clientHeaders, password };
    const sent = await fetch(`${url}/verify?email=${address}`, { method: 'POST', headers });
    expect(sent.status, await sent.text()).to.equal(200);
  };

  const recipients = async (): Promise<readonly string[]> => (await provider.mails()).map(({ to }) => to).toSorted();

  const waiting = async ({
    adminUrl,
  }: Serving): Promise<readonly { readonly to: string; readonly attempts: number }[]> => {
    const response = await fetch(`${adminUrl}/admin/mails`, { headers: adminHeaders });
    expect(response.status).to.equal(200);
    return Object(await response.json()).mails;
  };

  const addresses = Array.from({ length: 9 }, (_, index) => `user-${index}@example.com`);

  it('is shared by workers, lists mails that wait, and ends a refused mail alone', async () => {
    await configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, workers: 2 } });
    const serving = await installation().serve();
    await Promise.all([...addresses, 'refused@example.com'].map((address) => requestMail(serving, address)));
    await eventually(async () => expect(await recipients()).to.deep.equal(addresses), 20_000);
    await eventually(async () => expect(await waiting(serving)).to.deep.equal([]), 20_000);
    const metrics = await (await fetch(`${serving.adminUrl}/metrics`)).text();
    expect(metrics).to.match(/^latchkey_queued_mails_refused_total 1$/m);
    expect(metrics).to.match(/^latchkey_queued_mails_sent_total 9$/m);
    expect(await serving.stop()).to.equal(0);
    expect(await recipients()).to.deep.equal(addresses);
    expect(serving.run.stdout).to.include('the mail provider refused a mail for good').and.not.include('refused@');
  });

  it('is not delayed by recipients who get no mail for now', async () => {
    await configure();
    const serving = await installation().serve();
    const full = Array.from({ length: 12 }, (_, index) => `full-${index}@example.com`);
    await Promise.all(full.map((address) => requestMail(serving, address)));
    await eventually(async () => {
      const metrics = await (await fetch(`${serving.adminUrl}/metrics`)).text();
      const failed = Number(/^latchkey_queued_mails_failed_total (\d+)$/m.exec(metrics)?.[1]);
      expect(failed).to.be.at.least(full.length);
    }, 20_000);
    await requestMail(serving, 'jane@example.com');
    // Less than the 5 seconds of a pause.
    await eventually(async () => expect(await recipients()).to.deep.equal(['jane@example.com']), 3_000);
    // The counts are read again after some seconds.
    await eventually(async () => {
      const { mails } = Object(await (await fetch(`${serving.adminUrl}/healthcheck`)).json());
      expect(mails.message).to.match(/^queued mails are sent, 12 waiting, the oldest for \d+ s$/);
      const metrics = await (await fetch(`${serving.adminUrl}/metrics`)).text();
      expect(metrics).to.match(/^latchkey_queued_mails_oldest_age_seconds [1-9]/m);
    }, 20_000);
    expect(await serving.stop()).to.equal(0);
  });

  it('keeps mails over a stop while the mail provider is down, and the next start sends each once', async () => {
    await configure();
    const { port } = provider;
    await provider.close();
    const first = await installation().serve();
    await Promise.all(addresses.map((address) => requestMail(first, address)));
    expect((await waiting(first)).map(({ to }) => to).toSorted()).to.deep.equal(addresses);
    expect(await first.stop()).to.equal(0);
    provider = await startProvider(certificate, port);
    const checked = await installation().command(['check', 'latchkey.yaml']);
    expect(checked.stdout).to.match(/^ok +mails: 9 waiting$/m);
    const second = await installation().serve();
    await eventually(async () => expect(await recipients()).to.deep.equal(addresses), 20_000);
    expect(await second.stop()).to.equal(0);
    expect(await recipients()).to.deep.equal(addresses);
  });

  it('waits for a mail in progress at a stop, so that it is not sent twice', async () => {
    await provider.close();
    const accepted: string[] = [];
    let hasStarted = false;
    provider = await startMailServer(certificate, {
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      onData: (stream, _session, done) => {
        hasStarted = true;
        const parts: Buffer[] = [];
        stream.on('data', (part: Buffer) => parts.push(part));
        stream.on('end', () => {
          setTimeout(async () => {
            accepted.push((await readMail(Buffer.concat(parts))).to);
            done();
          }, 3_000);
        });
      },
    });
    await configure();
    const first = await installation().serve();
    await requestMail(first, 'slow@example.com');
    await eventually(async () => expect(hasStarted).to.equal(true), 10_000);
    expect(await first.stop()).to.equal(0);
    expect(accepted).to.deep.equal(['slow@example.com']);
    const second = await installation().serve();
    expect(await waiting(second)).to.deep.equal([]);
    expect(await second.stop()).to.equal(0);
  });

  it('is refused without mails', async () => {
    await installation().configure({ email: { type: 'none', queue: true } });
    const { status, stderr } = await installation().command(['check', 'latchkey.yaml']);
    expect(status).to.equal(2);
    expect(stderr).to.match(/line \d+: email\.queue: needs a type of email other than none/);
  });
});
