import { expect } from 'chai';
import type { MailKind } from '../../application/outgoing/mail-queue.ts';
import type { ApiResponse } from '../../sdk/contract/http/api-response.ts';
import { type Client, newPassword } from '../../sdk/contract/http/client.ts';
import { EveryMail, type Form, forms, type MailedUser } from './outstanding-mails.ts';

type Call = (client: Client, email: string, token: string) => Promise<ApiResponse>;

const authorization = null;

const byQuery =
  (method: string, path: string, others: object = {}): Call =>
  (client, email, token) =>
    client.send(method, path, { query: { email, token, ...others }, authorization });

/** With the key of the application, without which no code is accepted. */
const byApplication =
  (others: object = {}): Call =>
  (client, email, token) =>
    client.get('/verify', { query: { email, token, ...others } });

const byForm =
  (path: string): Call =>
  (client, email, token) => {
    const raw = new URLSearchParams({ email, token, password: newPassword() }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    return client.post(path, { raw, headers, authorization });
  };

/** Every route that takes a token or a code, with the kind of mail that brings it and the forms of which it exists. */
const routes: readonly {
  readonly name: string;
  readonly kind: MailKind;
  readonly forms: readonly Form[];
  readonly call: Call;
}[] = [
  {
    name: 'GET /verify',
    kind: 'verification',
    forms: ['link', 'code'],
    call: byApplication(),
  },
  {
    name: 'GET /verify, for a page',
    kind: 'verification',
    forms: ['link', 'code'],
    call: byApplication({ response_type: 'html' }),
  },
  { name: 'POST /verify/confirm', kind: 'verification', forms: ['link'], call: byQuery('POST', '/verify/confirm') },
  { name: 'GET /recovery', kind: 'recovery', forms: ['link'], call: byQuery('GET', '/recovery') },
  {
    name: 'POST /recovery/password',
    kind: 'recovery',
    forms: ['link'],
    call: byForm('/recovery/password'),
  },
  {
    name: 'POST /recovery/confirm',
    kind: 'recovery',
    forms: ['link', 'code'],
    call: (client, address, token) =>
      client.post('/recovery/confirm', { body: { email: { address }, token, password: newPassword() } }),
  },
  { name: 'GET /invitation', kind: 'invitation', forms: ['link', 'code'], call: byQuery('GET', '/invitation') },
  {
    name: 'POST /invitation/password',
    kind: 'invitation',
    forms: ['link', 'code'],
    call: byForm('/invitation/password'),
  },
  { name: 'GET /change', kind: 'change', forms: ['link', 'code'], call: byQuery('GET', '/change') },
  { name: 'POST /change/confirm', kind: 'change', forms: ['link', 'code'], call: byQuery('POST', '/change/confirm') },
  {
    name: 'POST /change/confirm, of the page',
    kind: 'change',
    forms: ['link', 'code'],
    call: byQuery('POST', '/change/confirm', { response_type: 'html' }),
  },
  { name: 'GET /change/cancel', kind: 'changeNotice', forms: ['link', 'code'], call: byQuery('GET', '/change/cancel') },
  {
    name: 'POST /change/cancel',
    kind: 'changeNotice',
    forms: ['link', 'code'],
    call: byQuery('POST', '/change/cancel'),
  },
  {
    name: 'POST /change/cancel, of the page',
    kind: 'changeNotice',
    forms: ['link', 'code'],
    call: byQuery('POST', '/change/cancel', { response_type: 'html' }),
  },
];

/** What is stored of tokens and codes: digests, and not what was mailed. */
const digestsIn = (stored: string, mails: MailedUser['mails']): readonly string[] => {
  const [row] = JSON.parse(stored);
  const mailed = new Set(mails.map(({ secret }) => secret));
  const digests = Object.entries(row).flatMap(([column, value]) =>
    /digest|token/.test(column) && typeof value === 'string' && !mailed.has(value) ? [value] : [],
  );
  expect(digests.length).to.be.at.least(mails.length - 1);
  return digests;
};

for (const form of Object.keys(forms) as Form[])
  describe(`a mailed token or code, where verifications and recoveries have a ${form}`, function () {
    this.timeout(120_000);
    const service = new EveryMail(form);
    const offered = routes.filter((route) => route.forms.includes(form));
    let users: readonly (readonly MailedUser[])[] = [];
    before('send all mails at once, because a recovery waits up to two seconds', async () => {
      users = await Promise.all(offered.map(() => Promise.all([service.user(), service.invited()])));
    });
    after(() => service.close());

    for (const [index, { name, kind, call }] of offered.entries())
      it(`is accepted by ${name} only if it was mailed for that: ${kind}`, async () => {
        const client = await service.client();
        let accepted = 0;
        for (const { address, mails } of users[index] ?? []) {
          const before = service.stored(address);
          const refused = mails.filter((other) => other.kind !== kind).map(({ secret }) => secret);
          for (const secret of [...refused, ...digestsIn(before, mails)]) {
            const response = await call(client, address, secret);
            expect(response.status, response.text).to.equal(400);
            expect(service.stored(address)).to.equal(before);
          }
          for (const { secret } of mails.filter((own) => own.kind === kind)) {
            const response = await call(client, address, secret);
            expect(response.status, response.text).to.be.within(200, 399);
            accepted++;
          }
        }
        expect(accepted).to.be.at.least(1);
      });
  });
