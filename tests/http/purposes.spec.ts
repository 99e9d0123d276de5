import { expect } from 'chai';
import type { MailKind } from '../../application/outgoing/mail-queue.ts';
import type { ApiResponse } from '../../sdk/contract/http/api-response.ts';
import { type Client, newPassword } from '../../sdk/contract/http/client.ts';
import { EveryMail, type Form, forms } from './outstanding-mails.ts';

type Call = (client: Client, email: string, token: string) => Promise<ApiResponse>;

const authorization = null;

const byQuery =
  (method: string, path: string, others: object = {}): Call =>
  (client, email, token) =>
    client.send(method, path, { query: { email, token, ...others }, authorization });

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
    call: byQuery('GET', '/verify'),
  },
  {
    name: 'GET /verify, for a page',
    kind: 'verification',
    forms: ['link', 'code'],
    call: byQuery('GET', '/verify', { response_type: 'html' }),
  },
  { name: 'POST /verify/confirm', kind: 'verification', forms: ['link'], call: byQuery('POST', '/verify/confirm') },
  { name: 'GET /recovery', kind: 'recovery', forms: ['link'], call: byQuery('GET', '/recovery') },
  {
    name: 'POST /recovery/password',
    kind: 'recovery',
    forms: ['link'],
    call: (client, email, token) => {
      const raw = new URLSearchParams({ email, token, password: newPassword() }).toString();
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      return client.post('/recovery/password', { raw, headers, authorization });
    },
  },
  {
    name: 'POST /recovery/confirm',
    kind: 'recovery',
    forms: ['link', 'code'],
    call: (client, address, token) =>
      client.post('/recovery/confirm', { body: { email: { address }, token, password: newPassword() } }),
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

for (const form of Object.keys(forms) as Form[])
  describe(`a mailed token or code, where verifications and recoveries have a ${form}`, function () {
    this.timeout(60_000);
    const service = new EveryMail(form);
    const offered = routes.filter((route) => route.forms.includes(form));
    const users = new Map<string, Awaited<ReturnType<EveryMail['user']>>>();
    before('send all mails at once, because a recovery waits up to two seconds', async () => {
      const created = await Promise.all(offered.map(() => service.user()));
      for (const [index, { name }] of offered.entries()) users.set(name, created[index]!);
    });
    after(() => service.close());

    for (const { name, kind, call } of offered)
      it(`is accepted by ${name} only if it was mailed for that: ${kind}`, async () => {
        const client = await service.client();
        const { account, mails } = users.get(name)!;
        const before = service.stored(account.address);
        const [row] = JSON.parse(before);
        const known = new Set(mails.map(({ secret }) => secret));
        // Nor by what is stored of it.
        const digests = Object.entries(row)
          .filter(([column, value]) => /digest|token/.test(column) && typeof value === 'string' && !known.has(value))
          .map(([, value]) => String(value));
        expect(digests).to.have.length(form === 'code' ? 4 : 3);
        const others = mails.filter((other) => other.kind !== kind).map(({ secret }) => secret);
        for (const secret of [...others, ...digests]) {
          const refused = await call(client, account.address, secret);
          expect(refused.status, refused.text).to.equal(400);
          expect(service.stored(account.address)).to.equal(before);
        }
        const accepted = await call(client, account.address, mails.find((mail) => mail.kind === kind)?.secret ?? '');
        expect(accepted.status, accepted.text).to.be.within(200, 399);
      });
  });
