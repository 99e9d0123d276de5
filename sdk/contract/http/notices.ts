import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { administrated, pathOf } from './administration.ts';
import type { ApiResponse } from './api-response.ts';
import { type Account, type Client, newAddress, newPassword } from './client.ts';
import type { Blocks, Harness, TestService } from './harness.ts';
import { scraped } from './metrics.ts';
import { rehashedUser } from './password-migration.ts';
import { actionOf, move, WaitingMoves } from './waiting-moves.ts';

const pollMs = 20;
const arrivalTimeoutMs = 10_000;

const subjects = {
  passwordNotice: 'Your password was changed',
  recoveryNotice: 'Your forgotten password was replaced',
  addressNotice: 'Your email address was changed',
  disabledNotice: 'Your account was disabled',
  enabledNotice: 'Your account was enabled',
  deletedNotice: 'Your account was deleted',
  /** No notices of changes: their links cancel a move, and set a first password. */
  changeNotice: 'Your email address is about to change',
  invitation: 'Your new account at Latchkey',
};

type Kind = keyof typeof subjects;

interface Used extends TestService {
  readonly root: Client;
}

/** What a service, an administrator or the user does with an account. */
type Act = (used: Used, account: Account) => Promise<unknown>;

const accepted = async (response: Promise<ApiResponse>): Promise<ApiResponse> => {
  const { status, text } = await response;
  expect(status, text).to.be.below(400);
  return response;
};

const put = ({ client }: Used, { address, password }: Account, changes: object) =>
  client.put('/users', { query: { email: address }, password, body: { email: { address }, ...changes } });

const patch = ({ client }: Used, { address, password }: Account, body: object) =>
  client.send('PATCH', '/users', { query: { email: address }, password, body });

const administer =
  (method: string, path = '', body?: object): Act =>
  ({ root }, { address }) =>
    accepted(root.send(method, `${pathOf(address)}${path}`, body === undefined ? {} : { body }));

const inTurn =
  (...acts: readonly Act[]): Act =>
  async (used, account) => {
    for (const act of acts) await act(used, account);
  };

const disable = (reason: string): Act => administer('POST', '/disable', { reason });

const tokenOf = async ({ client }: Used, { address }: Account): Promise<string> =>
  Object((await accepted(client.post('/recovery', { query: { email: address } }))).json).token;

const sameMailbox = ({ address }: Account): string => address.toUpperCase();

/** Every way in which a user changes, and the notices to the address from before it. */
const ways: Readonly<Record<string, readonly [expected: readonly Kind[], act: Act]>> = {
  'PUT with another password': [
    ['passwordNotice'],
    (used, account) => accepted(put(used, account, { password: newPassword() })),
  ],
  'PATCH with another password': [
    ['passwordNotice'],
    (used, account) => accepted(patch(used, account, { password: newPassword() })),
  ],
  'PUT with the same password': [[], (used, account) => accepted(put(used, account, { password: account.password }))],
  'PUT with the stored hash': [
    [],
    (used, account) => accepted(put(used, account, { password: account.user.password, plan: 'paid' })),
  ],
  'PUT and PATCH of custom properties': [
    [],
    inTurn(
      (used, account) => accepted(put(used, account, { plan: 'paid' })),
      (used, account) => accepted(patch(used, account, { plan: 'free' })),
    ),
  ],
  'a change that is refused': [
    [],
    async (used, account) => {
      const refused = await put(used, { ...account, password: 'wrong' }, { password: newPassword() });
      expect(refused.refusal).to.equal('401 wrong_password');
    },
  ],
  'a required change': [
    ['passwordNotice'],
    inTurn(administer('POST', '/require-password-change'), (used, account) =>
      accepted(put(used, account, { password: newPassword() })),
    ),
  ],
  'a required change that is withdrawn': [
    [],
    inTurn(administer('POST', '/require-password-change'), administer('POST', '/withdraw-password-change')),
  ],
  'PUT …/password by an administrator': [
    ['passwordNotice'],
    (used, account) => administer('PUT', '/password', { password: newPassword() })(used, account),
  ],
  'DELETE …/password by an administrator': [['passwordNotice'], administer('DELETE', '/password')],
  'a recovery that is only requested': [[], tokenOf],
  'a recovery': [
    ['recoveryNotice'],
    async (used, account) => {
      const body = { email: { address: account.address }, token: await tokenOf(used, account) };
      await accepted(used.client.post('/recovery/confirm', { body: { ...body, password: newPassword() } }));
    },
  ],
  'a recovery with the same password': [
    ['recoveryNotice'],
    async (used, { address, password, ...account }) => {
      const token = await tokenOf(used, { address, password, ...account });
      await accepted(used.client.post('/recovery/confirm', { body: { email: { address }, token, password } }));
    },
  ],
  'PUT with another address': [
    ['addressNotice'],
    ({ client }, account) => accepted(move(client, account, newAddress())),
  ],
  'PUT with another address and password': [
    ['addressNotice'],
    ({ client }, account) => accepted(move(client, account, newAddress(), { password: newPassword() })),
  ],
  'PUT with the address in another case': [
    [],
    ({ client }, account) => accepted(move(client, account, sameMailbox(account))),
  ],
  'PUT …/address by an administrator': [
    ['addressNotice'],
    (used, account) => administer('PUT', '/address', { address: newAddress() })(used, account),
  ],
  'PUT …/address by an administrator in another case': [
    [],
    (used, account) => administer('PUT', '/address', { address: sameMailbox(account) })(used, account),
  ],
  'a disablement, and another reason for it': [['disabledNotice'], inTurn(disable('a test'), disable('another'))],
  'the end of a disablement': [
    ['disabledNotice', 'enabledNotice'],
    inTurn(disable('a test'), administer('POST', '/enable'), administer('POST', '/enable')),
  ],
  'DELETE by an administrator': [['deletedNotice'], administer('DELETE')],
  'DELETE by the user': [
    ['deletedNotice'],
    ({ client }, { address, password }) => accepted(client.delete('/users', { query: { email: address }, password })),
  ],
  'what administrators do besides': [
    [],
    inTurn(
      administer('PATCH', '', { plan: 'paid' }),
      administer('POST', '/mark-verified'),
      administer('POST', '/reset'),
    ),
  ],
};

/** Mails that tell users of changes (the list `notices`), for stores with an event outbox. */
export const notices = (harness: Harness): void => {
  describe('notices', () => {
    const passwordHash = { algorithm: 'sha256', serverSideHash: true };
    const topics = ['password', 'address', 'recovery', 'state'];

    const start = async (blocks: Blocks = {}, options: object = {}, on = harness): Promise<Used> => {
      const email = { ...(await on.queuedEmail()), queue: false, ...options };
      const recovery = { deliver: 'caller', resendInterval: '1ms' };
      const created = { invitations: { resendInterval: '1ms' }, admin: { createUsers: true } };
      return administrated(on, { email, passwordHash, recovery, notices: topics, ...created, ...blocks });
    };

    /** The mails to an address. */
    const arrivedAt = async (address: string, on = harness) => {
      const { directory } = await on.queuedEmail();
      return (await on.mailsIn(directory)).filter(({ to }) => to === address);
    };

    /** The subjects of all mails to an address, once none of them waits any more. */
    const mailedTo = async ({ root }: Used, address: string, on = harness): Promise<readonly string[]> => {
      const deadline = performance.now() + arrivalTimeoutMs;
      for (;;) {
        const { status, text, json } = await root.get('/admin/mails', { query: { limit: '200' } });
        expect(status, text).to.equal(200);
        const { mails } = Object(json);
        if (!mails.some(({ to }: { readonly to: string }) => to === address)) break;
        if (performance.now() > deadline) throw new Error('a mail still waits');
        await sleep(pollMs);
      }
      return (await arrivedAt(address, on)).map(({ subject }) => subject);
    };

    const subjectsOf = (kinds: readonly Kind[]) => kinds.map((kind) => subjects[kind]);

    if (harness.lacks('events')) {
      it('are refused at the start', async () => {
        const refused = await harness.service({ notices: topics, passwordHash }).catch((error: unknown) => error);
        expect(refused).to.have.property('message').that.includes('notices');
      });
      return;
    }

    for (const [way, [expected, act]] of Object.entries(ways))
      it(`after ${way}: ${expected.join(', ') || 'none'}`, async () => {
        const used = await start();
        const account = await used.client.create();
        await act(used, account);
        expect(await mailedTo(used, account.address)).to.have.members(subjectsOf(expected));
      });

    it('are sent once for the first password, by the link of an invitation or by an administrator', async () => {
      const used = await start();
      const invite = async (): Promise<string> => {
        const address = newAddress();
        await accepted(used.root.post('/admin/users', { body: { email: { address } } }));
        expect(await mailedTo(used, address)).to.deep.equal(subjectsOf(['invitation']));
        return address;
      };
      const invited = await invite();
      await accepted(used.root.post(`${pathOf(invited)}/invite`));
      expect(await mailedTo(used, invited)).to.deep.equal(subjectsOf(['invitation', 'invitation']));
      const [link = ''] = (await arrivedAt(invited)).at(-1)?.text.match(/https:\S+\/invitation\S*/) ?? [];
      const { email, token } = Object.fromEntries(new URL(link).searchParams);
      const raw = new URLSearchParams({ email: email ?? '', token: token ?? '', password: newPassword() }).toString();
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      await accepted(used.client.post('/invitation/password', { raw, headers, authorization: null }));
      expect(await mailedTo(used, invited)).to.have.members(subjectsOf(['invitation', 'invitation', 'passwordNotice']));
      const helped = await invite();
      await accepted(used.root.put(`${pathOf(helped)}/password`, { body: { password: newPassword() } }));
      expect(await mailedTo(used, helped)).to.have.members(subjectsOf(['invitation', 'passwordNotice']));
    });

    it('are not sent for a rehash', async () => {
      const account = await (await start()).client.create();
      const migrating = { algorithm: 'bcrypt', cost: 5, serverSideHash: true, accept: ['sha256'], rehash: true };
      const used = await start({ passwordHash: migrating });
      await rehashedUser(used.client, account);
      expect(await mailedTo(used, account.address)).to.deep.equal([]);
    });

    it('follow the one that can cancel a move once it is confirmed, and none goes to the new address', async () => {
      const used = await start({}, { confirmChange: true });
      const account = await used.client.create();
      const to = newAddress();
      await accepted(move(used.client, account, to));
      const link = await new WaitingMoves(harness).linkTo(to);
      expect(await mailedTo(used, account.address)).to.deep.equal(subjectsOf(['changeNotice']));
      const page = await used.client.get(link, { authorization: null });
      await accepted(used.client.post(actionOf(link, page), { authorization: null }));
      expect(await mailedTo(used, account.address)).to.have.members(subjectsOf(['changeNotice', 'addressNotice']));
      expect(await mailedTo(used, to)).to.have.length(1);
    });

    // Without counts in the store each instance has its own.
    if (!harness.lacks('attempts'))
      it('are at most ten to one address, at all instances together, also if its user is created again', async () => {
        // Services of one database send each other's mails, and those of other tests limit no notices.
        const alone = harness.alone();
        try {
          const [one, other] = [await start({}, {}, alone), await start({ logging: {} }, {}, alone)];
          const account = await one.client.create();
          const { address, password } = account;
          const dropped = async (): Promise<number> => {
            const pages = await Promise.all([one, other].map(({ adminUrl }) => scraped(adminUrl)));
            return pages.reduce((sum, { at }) => sum + at('latchkey_queued_mails_limited_total'), 0);
          };
          const before = await dropped();
          const endAt = async (used: Used): Promise<void> => {
            let current = account;
            for (let count = 0; count < 5; count++) {
              const next = newPassword();
              await accepted(put(used, current, { password: next }));
              current = { ...current, password: next };
              await mailedTo(used, address, alone);
            }
            await accepted(used.client.delete('/users', { query: { email: address }, password: current.password }));
          };
          await endAt(one);
          await accepted(other.client.post('/users', { body: { email: { address }, password } }));
          await endAt(other);
          const changes = Array<Kind>(5).fill('passwordNotice');
          const sent = subjectsOf([...changes, 'deletedNotice', ...changes.slice(1)]);
          expect(await mailedTo(other, address, alone)).to.have.members(sent);
          expect((await dropped()) - before).to.equal(2);
        } finally {
          await alone.close();
        }
      });

    it('are sent once for each of many changes at the same time, of which others are refused', async () => {
      const used = await start();
      const account = await used.client.create();
      const responses = await Promise.all(
        Array.from({ length: 16 }, () => put(used, account, { password: newPassword() })),
      );
      const changed = responses.filter(({ status }) => status === 200);
      expect(await mailedTo(used, account.address)).to.deep.equal(changed.map(() => subjects.passwordNotice));
    });
  });
};
