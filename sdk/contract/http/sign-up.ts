import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { maxRequestDelayMs } from '../../../application/outgoing/delayed-requests.ts';
import type { ReceivedMail } from '../received-mail.ts';
import type { ApiResponse } from './api-response.ts';
import { basic, Client, newAddress, newPassword } from './client.ts';
import type { Blocks, Harness } from './harness.ts';

const create = (client: Client, address: string, headers = {}): Promise<ApiResponse> =>
  client.post('/users', { body: { email: { address }, password: newPassword() }, headers });

const outcomeOf = (response: ApiResponse): string =>
  response.status < 400 ? String(response.status) : response.refusal;

const local = (): string => `user-${randomUUID()}`;

const refusedDomain = '400 domain_not_allowed';

/** The rules for domains (docs/configuration.md, `signUp`). */
export const signUpDomains = (harness: Harness): void => {
  describe('the domains of signUp', () => {
    it('include subdomains in any spelling, also those of a file, and blocked ones win', async () => {
      const list = '# our customers\r\nExample.org.  # with a dot\n\nEXAMPLE.com\nbücher.example\n';
      const signUp = {
        allowedDomains: await harness.file('allowed-domains', list),
        blockedDomains: ['bad.example.com', 'xn--bse-sna.example.org'],
      };
      const { client } = await harness.service({ signUp });
      const expected = {
        'example.com': '201',
        'Mail.Example.COM': '201',
        'example.org': '201',
        'xn--bcher-kva.example': '201',
        'a.XN--BCHER-KVA.example': '201',
        'example.net': refusedDomain,
        'anexample.com': refusedDomain,
        com: refusedDomain,
        'bad.example.com': refusedDomain,
        'very.bad.example.com': refusedDomain,
        'xn--bse-sna.example.org': refusedDomain,
      };
      for (const [domain, outcome] of Object.entries(expected))
        expect(outcomeOf(await create(client, `${local()}@${domain}`)), domain).to.equal(outcome);
    });

    it('bind neither the changes of users nor administrators', async () => {
      const secret = 'a secret of the administrators';
      const blocks = {
        signUp: { allowedDomains: ['example.com'] },
        admin: { keys: [{ application: 'root', secret }] },
      };
      const { client, adminUrl } = await harness.service(blocks);
      const { address, password } = await client.create();
      const moved = `${local()}@example.net`;
      const body = { email: { address: moved } };
      expect((await client.put('/users', { query: { email: address }, password, body })).status).to.equal(200);
      const root = new Client(adminUrl, basic('root', secret), harness.leakDetector);
      expect((await root.get(`/admin/users/${moved}`)).status).to.equal(200);
    });
  });
};

const header = 'X-Client-Address';
let clients = 0;
const newClientAddress = (): Record<string, string> => ({ [header]: `203.0.113.${++clients}` });

/** The count of sign-ups (docs/configuration.md, `signUp.perClient`). */
export const signUpCounts = (harness: Harness): void => {
  describe('signUp.perClient', () => {
    it('429 after as many sign-ups from one address, in every process, until an hour has passed', async () => {
      const signUp = { perClient: 3, clientHeader: header };
      // Without the port, each process has counts of its own.
      const logging = harness.lacks('attempts') ? {} : { logging: {} };
      const [one, other] = [await harness.service({ signUp }), await harness.service({ signUp, ...logging })];
      const from = newClientAddress();
      const taken = newAddress();
      expect((await create(one.client, taken, from)).status).to.equal(201);
      // It counts, because it is a sign-up, too.
      expect((await create(other.client, taken, from)).refusal).to.equal('409 user_exists');
      expect((await create(other.client, newAddress(), from)).status).to.equal(201);
      const address = newAddress();
      for (const { client } of [one, other]) {
        const refused = await create(client, address, from);
        expect(refused.refusal).to.equal('429 too_many_attempts');
        expect(refused.text).to.contain('Too many users were created');
        if (!harness.lacks('attempts')) expect(Number(refused.headers.get('retry-after'))).to.be.within(3_540, 3_600);
      }
      expect((await create(one.client, address, newClientAddress())).status).to.equal(201);
    });

    it('is not exceeded by sign-ups at the same time, and does not count invalid ones', async () => {
      const signUp = { perClient: 4, clientHeader: header };
      const { client } = await harness.service({ signUp });
      const from = newClientAddress();
      for (let count = 0; count < 5; count++)
        expect((await create(client, 'no address', from)).refusal).to.equal('400 invalid_body');
      const outcomes = await Promise.all(Array.from({ length: 12 }, () => create(client, newAddress(), from)));
      const statuses = outcomes.map(({ status }) => status).sort();
      expect(statuses).to.deep.equal([...Array(4).fill(201), ...Array(8).fill(429)]);
    });

    it('takes the header of throttle, and is apart from its counts', async () => {
      const throttle = { failures: 10, clientFailures: 1, clientHeader: header };
      const { client } = await harness.service({ signUp: { perClient: 1 }, throttle });
      const from = newClientAddress();
      expect((await create(client, newAddress(), from)).status).to.equal(201);
      expect((await create(client, newAddress(), from)).status).to.equal(429);
      expect((await create(client, newAddress(), newClientAddress())).status).to.equal(201);
      const guess = { query: { email: newAddress() }, password: newPassword(), headers: from };
      expect((await client.get('/users', guess)).refusal).to.equal('404 user_not_found');
    });
  });
};

const takenMailbox = '409 mailbox_taken';

/** One account for each mailbox (docs/configuration.md, `signUp.oneAccountPerMailbox`). */
export const mailboxes = (harness: Harness): void => {
  const blocks = { signUp: { oneAccountPerMailbox: true } };
  describe('signUp.oneAccountPerMailbox', () => {
    if (harness.lacks('names')) {
      it('is refused at the start', async () => {
        const refused = await harness.service(blocks).catch((error: unknown) => error);
        expect(refused).to.have.property('message').that.includes('signUp.oneAccountPerMailbox');
      });
      return;
    }

    it('409 mailbox_taken for another tag of the same mailbox, and for other dots at Gmail only', async () => {
      const { client } = await harness.service(blocks);
      const id = randomUUID();
      const outcomes = [
        [`j.doe.${id}@gmail.com`, '201'],
        [`jdoe${id}@gmail.com`, takenMailbox],
        [`J.Doe${id}+news@GoogleMail.com`, takenMailbox],
        [`j.doe.${id}@gmail.com`, '409 user_exists'],
        [`j.doe.${id}@example.com`, '201'],
        [`j.doe.${id}+a+b@example.com`, takenMailbox],
        [`jdoe${id}@example.com`, '201'],
        [`+${id}@example.com`, '201'],
        [`+x${id}@example.com`, '201'],
      ] as const;
      for (const [address, outcome] of outcomes)
        expect(outcomeOf(await create(client, address)), address).to.equal(outcome);
    });

    it('is won by one of several concurrent sign-ups, and the mailbox is free after a deletion', async () => {
      const { client } = await harness.service(blocks);
      const name = local();
      const password = newPassword();
      const responses = await Promise.all(
        Array.from({ length: 8 }, (_, tag) =>
          client.post('/users', { body: { email: { address: `${name}+${tag}@example.com` }, password } }),
        ),
      );
      const statuses = responses.map(({ status }) => status).sort();
      expect(statuses).to.deep.equal([201, ...Array(7).fill(409)]);
      const winner = responses.find(({ status }) => status === 201)?.user.email.address ?? '';
      expect((await client.delete('/users', { query: { email: winner }, password })).status).to.equal(200);
      expect((await create(client, `${name}@example.com`)).status).to.equal(201);
    });

    it('compares no change of an address, which frees the mailbox unless it stays the same', async () => {
      const { client } = await harness.service(blocks);
      const [one, other] = [local(), local()];
      const { password } = await client.create({ address: `${one}@example.com` });
      const move = async (from: string, to: string) => {
        const body = { email: { address: `${to}@example.com` }, plan: randomUUID() };
        return (await client.put('/users', { query: { email: `${from}@example.com` }, password, body })).status;
      };
      expect((await create(client, `${other}@example.com`)).status).to.equal(201);
      expect(await move(one, `${one}+tag`)).to.equal(200);
      expect((await create(client, `${one}@example.com`)).refusal).to.equal(takenMailbox);
      expect(await move(`${one}+tag`, `${other}+tag`)).to.equal(200);
      expect((await create(client, `${one}@example.com`)).status).to.equal(201);
      expect((await create(client, `${other}+more@example.com`)).refusal).to.equal(takenMailbox);
    });
  });
};

const signInUrl = 'https://app.example.com/sign-in';
const quiet = { Prefer: 'quiet' };
const hidden = { hideUnknownUsers: true };
const passwordHash = { algorithm: 'sha256', serverSideHash: true };

/** Everything that a caller sees of a response, without what differs between any two. */
const bytesOf = ({ status, text, headers }: ApiResponse): unknown => [
  status,
  text,
  [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'),
];

/** Quiet sign-ups (docs/sign-up.md), for stores with an event outbox. */
export const quietSignUps = (harness: Harness): void => {
  if (harness.lacks('events')) return;
  /** One configuration for most tests, because services of one database answer each other's sign-ups. */
  const started = async (options: object = {}, blocks: Blocks = {}) => {
    const email = { ...(await harness.queuedEmail()), resendInterval: '1h' };
    const signUp = { quiet: { url: signInUrl, interval: '2h' }, ...options };
    const service = await harness.service({ email, signUp, privacy: hidden, ...blocks });
    const mailsTo = async (address: string) =>
      (await harness.mailsIn(email.directory)).filter(({ to }) => to === address);
    return {
      ...service,
      mailsTo,
      mailTo: async (address: string): Promise<ReceivedMail> => {
        for (const end = performance.now() + 10_000; ; await sleep(20)) {
          const [mail] = await mailsTo(address);
          if (mail !== undefined) return mail;
          if (performance.now() > end) throw new Error(`no mail to ${address}`);
        }
      },
    };
  };

  /** Resolves once a sign-up that is stored now has been answered, after all earlier ones. */
  const answered = async ({ client, mailTo }: Awaited<ReturnType<typeof started>>): Promise<void> => {
    await sleep(maxRequestDelayMs);
    const last = newAddress();
    await create(client, last, quiet);
    await mailTo(last);
  };

  describe('a quiet sign-up', () => {
    it('creates an unknown address, with a mail whose link verifies it', async () => {
      const { client, mailTo } = await started();
      const [address, password] = [newAddress(), newPassword()];
      const body = { email: { address }, password, plan: 'free', list: [1.0, 'ä'] };
      const response = await client.post('/users', { body, headers: quiet });
      expect([response.status, response.text]).to.deep.equal([202, '']);
      expect(response.headers.get('preference-applied')).to.equal('quiet');
      expect(response.headers.get('etag')).to.equal(null);
      const { text, subject } = await mailTo(address);
      expect(subject).to.equal('Account Verification');
      const link = new URL(/https:\/\/\S+/.exec(text)?.[0] ?? '');
      const before = await client.read({ address, password });
      expect(before.user.email.verified).to.equal(false);
      expect(before.properties).to.include({ plan: 'free' });
      const { email = '', token = '' } = Object.fromEntries(link.searchParams);
      expect((await client.get('/verify', { query: { email, token } })).user.email.verified).to.equal(true);
    });

    it('mails a known address a notice at most once per interval, and changes nothing that anybody sees', async () => {
      const service = await started();
      const { client, mailsTo, mailTo } = service;
      const account = await client.create();
      const before = await client.read(account);
      for (let count = 0; count < 5; count++) {
        const response = await create(client, account.address.toUpperCase(), quiet);
        expect(response.status).to.equal(202);
      }
      const { subject, text } = await mailTo(account.address);
      expect(subject).to.equal('You have an account already');
      expect(text).to.contain(signInUrl).and.contain(account.address);
      await answered(service);
      expect(await mailsTo(account.address)).to.have.length(1);
      const after = await client.read(account);
      expect([after.text, after.headers.get('etag')]).to.deep.equal([before.text, before.headers.get('etag')]);
    });

    it('has the same bytes for every address, and the refusals that do not depend on one', async () => {
      const { client } = await started({ blockedDomains: ['example.org'] }, { passwordHash, passwordRules: {} });
      const { address } = await client.create();
      const [known, unknown] = [await create(client, address, quiet), await create(client, newAddress(), quiet)];
      expect(bytesOf(known)).to.deep.equal(bytesOf(unknown));
      for (const [local, domain] of [address.split('@'), newAddress().split('@')]) {
        expect((await create(client, `${local}@mail.example.org`, quiet)).refusal).to.equal(refusedDomain);
        const weak = { email: { address: `${local}@${domain}` }, password: 'short' };
        expect((await client.post('/users', { body: weak, headers: quiet })).refusal).to.equal('400 weak_password');
      }
      expect((await create(client, 'no address', quiet)).refusal).to.equal('400 invalid_body');
      expect((await create(client, address, { Prefer: 'quietly, respond-async' })).refusal).to.equal('409 user_exists');
    });

    it('is not delayed by a user of the largest size that an outbox can keep', async () => {
      const { client, mailTo } = await started();
      const [address, password] = [newAddress(), newPassword()];
      const sized = (length: number) => ({ email: { address }, password, text: 'x'.repeat(length) });
      const tooLarge = await client.post('/users', { body: sized(320 * 1024), headers: quiet });
      expect(tooLarge.refusal).to.equal('400 user_too_large');
      expect((await client.post('/users', { body: sized(290 * 1024), headers: quiet })).status).to.equal(202);
      await mailTo(address);
      expect((await client.read({ address, password })).properties.text).to.have.length(290 * 1024);
    });

    it('creates one user of many at the same time', async () => {
      const service = await started();
      const address = newAddress();
      const responses = await Promise.all(Array.from({ length: 16 }, () => create(service.client, address, quiet)));
      expect(new Set(responses.map(({ status }) => status))).to.deep.equal(new Set([202]));
      await answered(service);
      // The mail that verifies the address is one within the interval, too.
      expect(await service.mailsTo(address)).to.have.length(1);
    });
  });

  describe('privacy.quietSignUp', () => {
    it('answers every request alike', async () => {
      const { client } = await started({}, { privacy: { ...hidden, quietSignUp: true } });
      const address = newAddress();
      const responses = [await create(client, address), await create(client, address, quiet)];
      for (const response of [...responses, await create(client, newAddress())])
        expect(bytesOf(response)).to.deep.equal(bytesOf(responses[0] ?? response));
      expect(responses[0]?.status).to.equal(202);
    });
  });
};

/** Quiet sign-ups where users have names. */
export const quietNames = (harness: Harness): void => {
  if (harness.lacks('events') || harness.lacks('names')) return;
  const started = async () => {
    const email = await harness.queuedEmail();
    const blocks = {
      email,
      privacy: hidden,
      signUp: { quiet: { url: signInUrl }, oneAccountPerMailbox: true },
      users: { ids: true },
      properties: { allowed: [{ name: 'username', type: 'string', unique: true }] },
    };
    const { client } = await harness.service(blocks);
    const mailsTo = async (address: string) =>
      (await harness.mailsIn(email.directory)).filter(({ to }) => to === address);
    return { client, mailsTo };
  };

  describe('a quiet sign-up', () => {
    it('takes neither an id nor a unique property, whether they are taken or not', async () => {
      const { client } = await started();
      for (const names of [{ id: randomUUID() }, { username: randomUUID() }]) {
        const body = { email: { address: newAddress() }, password: newPassword(), ...names };
        const refused = await client.post('/users', { body, headers: quiet });
        expect(refused.refusal).to.equal('400 invalid_properties');
        expect(refused.paths).to.deep.equal(Object.keys(names));
      }
    });

    it('mails the user of a mailbox about another spelling of it, at the address of the user', async () => {
      const { client, mailsTo } = await started();
      const name = local();
      const { address } = await client.create({ address: `${name}@example.com` });
      const other = `${name}+news@example.com`;
      expect((await create(client, other, quiet)).status).to.equal(202);
      for (const end = performance.now() + 10_000; performance.now() < end; await sleep(20))
        if ((await mailsTo(address)).length > 0) break;
      expect((await mailsTo(address)).map(({ subject }) => subject)).to.deep.equal(['You have an account already']);
      expect(await mailsTo(other)).to.deep.equal([]);
    });
  });
};
