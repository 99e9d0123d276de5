import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { ApiResponse } from './api-response.ts';
import { basic, Client, newAddress, newPassword } from './client.ts';
import type { Harness } from './harness.ts';

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
      const list = '# our customers\r\nExample.org.  # with a dot\n\nbücher.example\n';
      const signUp = {
        allowedDomains: ['EXAMPLE.com'],
        allowedDomainsFile: await harness.file('allowed-domains', list),
        blockedDomains: ['bad.example.com'],
        blockedDomainsFile: await harness.file('blocked-domains', 'xn--bse-sna.example.org'),
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
      const [one, other] = [await harness.service({ signUp }), await harness.service({ signUp, logging: {} })];
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
