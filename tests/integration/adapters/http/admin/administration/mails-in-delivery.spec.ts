import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { left, right } from 'fp-ts/lib/Either.js';
import type { Context } from 'koa';
import {
  type AdministrationMemory,
  administration,
} from '../../../../../../adapters/http/admin/administration/index.ts';
import { basicAuthenticator } from '../../../../../../adapters/http/authentication/authenticator.ts';
import type { ChangeMailResult, WaitingMail } from '../../../../../../application/administration/queued-mails.ts';
import { CommandBus, QueryBus } from '../../../../../../application/bus.ts';
import { EmailAddress } from '../../../../../../domain/email-address.ts';
import { basicKey } from '../../../../../support/client-keys.ts';
import { ManualClock } from '../../../../../support/doubles/manual-clock.ts';
import { silentContext } from '../../../../../support/doubles/silent-context.ts';
import { ask } from '../admin-port.ts';

const Authorization = `Basic ${Buffer.from('root:of an administrator').toString('base64')}`;
const to = 'jane@example.com';
if (!EmailAddress.is(to)) throw new TypeError('not an address');
const mail: WaitingMail = { id: 'a-mail', kind: 'verification', to, since: 1, attempts: 1, due: 2 };

describe('a mail in delivery', () => {
  const audited: unknown[] = [];
  let server: Server;
  let url: string;

  before(async () => {
    const refused = async (): Promise<ChangeMailResult> =>
      left({ code: 'mail_in_delivery', retryAfterSeconds: 7, mail });
    const parts = {
      commands: new CommandBus({ RetryMail: { handle: refused }, DiscardMail: { handle: refused } }, (_, next) =>
        next(),
      ),
      queries: new QueryBus(
        { ListMails: { handle: async () => right({ mails: [mail], next: undefined }) } },
        (_, next) => next(),
      ),
      authenticator: basicAuthenticator([basicKey('root', 'of an administrator')]),
      observers: [({ state }: Context) => void audited.push(state.user)],
      information: null,
      memory: (create: () => AdministrationMemory) => create(),
      clock: new ManualClock(Date.UTC(2030, 0, 1, 12)),
      queuesMails: true,
      linkBaseUrl: null,
      activity: null,
      createsUsers: false,
      invites: false,
      showsPasswordTime: false,
      moveLifetimeMs: null,
      properties: undefined,
      countsPasswords: false,
      sortsUsers: false,
      nameProperty: null,
      ids: false,
      unique: [],
      limitsKeys: false,
      operationTimeoutMs: 30_000,
      log: silentContext.log,
    };
    const errorPages = { brand: { name: 'Latchkey', logo: null }, product: null, home: '/' };
    const app = administration(parts, { product: 'Latchkey', sections: [], errorPages }, async () => new Map());
    server = createServer(app.callback());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => void audited.splice(0));

  for (const [method, path] of [
    ['POST', '/admin/mails/a-mail/retry'],
    ['DELETE', '/admin/mails/a-mail'],
  ] as const)
    it(`is not changed by ${method} ${path}, which is audited with the recipient`, async () => {
      const { status, headers, text } = await ask(url + path, { method, headers: { Authorization } });
      expect(status).to.equal(409);
      expect(headers['retry-after']).to.equal('7');
      expect(JSON.parse(text)).to.include({ code: 'mail_in_delivery' }).and.not.have.property('mail');
      expect(audited).to.deep.equal([to]);
    });

  /** Submits the form of a page. */
  const submit = async (shown: string, action: string): Promise<Response> => {
    const page = await (await fetch(url + shown, { headers: { Authorization } })).text();
    const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const body = new URLSearchParams({ id: mail.id, token });
    audited.splice(0);
    return fetch(url + action, { method: 'POST', headers: { Authorization }, body, redirect: 'manual' });
  };

  for (const [shown, action] of [
    ['/admin/waiting-mails', '/admin/retry-mail'],
    ['/admin/discard-mail?id=a-mail', '/admin/discard-mail'],
  ] as const)
    it(`is not changed by the form of ${shown}, which says when to try again`, async () => {
      const response = await submit(shown, action);
      expect(response.status).to.equal(409);
      expect(response.headers.get('retry-after')).to.equal('7');
      expect(await response.text()).to.include('try again at 12:00:07 UTC');
      expect(audited).to.deep.equal([to]);
    });
});
