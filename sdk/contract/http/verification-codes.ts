import { expect } from 'chai';
import { administrated } from './administration.ts';
import type { ApiResponse } from './api-response.ts';
import { type Account, type Client, newAddress, newPassword, type Sent } from './client.ts';
import type { Blocks, Harness } from './harness.ts';

const codeKey = 'a key of thirty-two bytes or more';
/** A UUID version 8 (RFC 9562). */
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;

const tooMany = '429 too_many_attempts';
const wrong = '400 token_mismatch';

/** A service with codes, and these options of `email` and blocks. */
const withCodes = async (harness: Harness, options: object = {}, blocks: Blocks = {}) => {
  const directory = `${await harness.file('codes-of', '')}-mails`;
  const fromAddress = 'sender@example.com';
  const email = { type: 'outbox', directory, fromAddress, form: 'code', codeKey, tokenLifetime: '1h', ...options };
  const { client, root } = await administrated(harness, { email, ...blocks });
  const mailsTo = async (address: string) => (await harness.mailsIn(directory)).filter(({ to }) => to === address);
  const send = ({ address, password }: Account): Promise<ApiResponse> =>
    client.post('/verify', { query: { email: address }, password });
  /** Requests a code. Resolves with the last one that was mailed. */
  const codeFor = async (account: Account): Promise<string> => {
    const response = await send(account);
    expect(response.status, response.text).to.equal(200);
    return /^\d{6}$/m.exec((await mailsTo(account.address)).at(-1)?.text ?? '')?.[0] ?? '';
  };
  return { client, root, mailsTo, send, codeFor };
};

const enter = (client: Client, email: string, token: string, sent: Sent = {}): Promise<ApiResponse> =>
  client.get('/verify', { query: { email, token }, ...sent });

/** Another code. */
const not = (code: string, step = 1): string => String((Number(code) + step) % 1_000_000).padStart(6, '0');

const waitForMs = async (milliseconds: number): Promise<void> => {
  const end = Date.now() + milliseconds;
  while (Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 1));
};

const confirming = (harness: Harness): void => {
  it('are mailed instead of a link, and verify the address', async () => {
    const { client, mailsTo, send } = await withCodes(harness);
    const account = await client.create();
    const { user } = await send(account);
    const [mail] = await mailsTo(account.address);
    expect(mail?.subject).to.equal('Your code to verify your email address');
    expect(`${mail?.text} ${mail?.html}`)
      .to.include('works for 1 hour')
      .and.not.match(/https?:\/\/\S+verify/);
    const code = /^\d{6}$/m.exec(mail?.text ?? '')?.[0] ?? '';
    expect(user.email).to.deep.include({ verified: false });
    expect(user.email.verificationToken).to.match(uuid).and.not.include(code);
    const verified = await enter(client, account.address.toUpperCase(), code);
    expect(verified.status, verified.text).to.equal(200);
    expect(verified.user.email).to.deep.equal({ ...user.email, verified: true });
    // A client repeats the request when its response is lost.
    expect((await enter(client, account.address, code)).text).to.equal(verified.text);
    const page = await client.get('/verify', {
      query: { email: account.address, token: code, response_type: 'html' },
    });
    expect([page.status, page.headers.get('location')]).to.deep.equal([303, '/verify/success']);
  });

  it('are sent with a key, without which they can be neither guessed nor blocked', async () => {
    const { client, codeFor } = await withCodes(harness);
    const account = await client.create();
    const code = await codeFor(account);
    for (const token of [code, ...Array.from({ length: 10 }, (_, step) => not(code, 1 + step))]) {
      const refused = await enter(client, account.address, token, { authorization: null });
      expect(refused.refusal).to.equal('401 client_unauthorized');
    }
    expect((await enter(client, account.address, code)).status).to.equal(200);
  });

  it('cannot be replaced by what is stored of them, which clients see', async () => {
    const { client, codeFor } = await withCodes(harness);
    const account = await client.create();
    const code = await codeFor(account);
    const { user } = await client.read(account);
    expect((await enter(client, account.address, String(user.email.verificationToken))).refusal).to.equal(wrong);
    // A body that repeats it keeps the code.
    const { address, password } = account;
    expect((await client.put('/users', { password, body: { email: user.email, plan: 'pro' } })).status).to.equal(200);
    expect((await enter(client, address, code)).status).to.equal(200);
  });

  it('end, with what is stored of them, where mails contain links again', async () => {
    const codes = await withCodes(harness);
    const links = await withCodes(harness, { form: 'link', codeKey: null });
    const account = await codes.client.create();
    const given = [await codes.codeFor(account)];
    given.push(String((await codes.client.read(account)).user.email.verificationToken));
    for (const token of given) expect((await enter(links.client, account.address, token)).refusal).to.equal(wrong);
    expect((await links.send(account)).status).to.equal(200);
    const { user } = await links.client.read(account);
    const token = String(user.email.verificationToken);
    expect((await enter(codes.client, account.address, token)).refusal).to.equal(wrong);
    expect((await enter(links.client, account.address, token)).status).to.equal(200);
  });

  it('belong to one user, and end with a newer one, a reset and another address', async () => {
    const { client, codeFor } = await withCodes(harness, { attempts: 100 });
    const [account, other] = [await client.create(), await client.create()];
    const first = await codeFor(account);
    await codeFor(other);
    expect((await enter(client, other.address, first)).refusal).to.equal(wrong);
    const second = await codeFor(account);
    expect((await enter(client, account.address, first)).refusal).to.equal(first === second ? undefined : wrong);
    const { address: email, password } = account;
    await client.post('/verify/reset', { query: { email }, password });
    expect((await enter(client, email, second)).refusal).to.equal(wrong);
    const third = await codeFor(account);
    const address = newAddress();
    await client.put('/users', { query: { email }, password, body: { email: { address } } });
    expect((await enter(client, address, third)).refusal).to.equal(wrong);
    await client.put('/users', { query: { email: address }, password, body: { email: { address: email } } });
    expect((await enter(client, email, third)).refusal).to.equal(wrong);
  });

  it('expire, also for a user who is verified: only the holder learns it', async () => {
    const long = await withCodes(harness, { attempts: 100 });
    const { client } = await withCodes(harness, { tokenLifetime: '1ms', attempts: 100 });
    const account = await client.create();
    const code = await long.codeFor(account);
    await waitForMs(2);
    expect((await enter(client, account.address, code)).refusal).to.equal('400 token_expired');
    expect((await enter(client, account.address, not(code))).refusal).to.equal(wrong);
    expect((await enter(long.client, account.address, code)).user.email.verified).to.equal(true);
    expect((await enter(client, account.address, code)).refusal).to.equal('400 token_expired');
  });

  it('are mailed once in an interval', async () => {
    const { client, send, codeFor, mailsTo } = await withCodes(harness, { resendInterval: '1h' });
    const account = await client.create();
    const code = await codeFor(account);
    expect((await send(account)).refusal).to.equal('429 resend_too_soon');
    expect(await mailsTo(account.address)).to.have.length(1);
    expect((await enter(client, account.address, code)).status).to.equal(200);
  });

  it('are refused for a disabled user like wrong ones', async () => {
    const { client, root, codeFor } = await withCodes(harness);
    const account = await client.create();
    const code = await codeFor(account);
    const disable = `/admin/users/${encodeURIComponent(account.address)}/disable`;
    expect((await root.post(disable, { body: { reason: 'a test' } })).status).to.equal(200);
    expect((await enter(client, account.address, code)).refusal).to.equal(wrong);
  });
};

const counting = (harness: Harness): void => {
  it('429 after wrong ones, on every instance, also for the right and a new one, for known and unknown users alike', async () => {
    const privacy = { hideUnknownUsers: true };
    const { client, codeFor } = await withCodes(harness, { attempts: 3 }, { privacy });
    // Without the port, each process has counts of its own.
    const blocks = harness.lacks('attempts') ? { privacy } : { privacy, throttle: {} };
    const other = await withCodes(harness, { attempts: 3 }, blocks);
    const account = await client.create();
    const code = await codeFor(account);
    for (const address of [account.address, newAddress()]) {
      for (let step = 1; step <= 3; step++)
        expect((await enter(step % 2 === 0 ? client : other.client, address, not(code, step))).refusal).to.equal(wrong);
      for (const instance of [client, other.client]) {
        const refused = await enter(instance, address.toUpperCase(), code);
        expect(refused.refusal).to.equal(tooMany);
        expect(Number(refused.headers.get('retry-after'))).to.be.within(3_540, 3_600);
      }
    }
    expect((await enter(client, account.address, await codeFor(account))).refusal).to.equal(tooMany);
    expect((await client.read(account)).user.email.verified).to.equal(false);
  });

  it('count again from the start after a right one, and apart from wrong passwords and the codes of a recovery', async () => {
    const passwordHash = { algorithm: 'sha256', serverSideHash: true };
    const recovery = { deliver: 'caller', form: 'code', codeKey, attempts: 3, resendInterval: '1ms' };
    const throttle = { failures: 3, clientFailures: 0 };
    const { client, codeFor } = await withCodes(harness, { attempts: 3 }, { passwordHash, recovery, throttle });
    const account = await client.create();
    const { address, password } = account;
    const code = await codeFor(account);
    const guess = async () => expect((await enter(client, address, not(code))).refusal).to.equal(wrong);
    await guess();
    await guess();
    for (let step = 0; step < 2; step++) {
      const recover = { email: { address }, token: code, password: newPassword() };
      expect((await client.post('/recovery/confirm', { body: recover })).refusal).to.equal(wrong);
      expect((await client.get('/users', { query: { email: address }, password: newPassword() })).status).to.equal(401);
    }
    expect((await enter(client, address, code)).status).to.equal(200);
    await guess();
    await guess();
    expect((await enter(client, address, code)).status).to.equal(200);
    await client.read({ address, password });
  });

  it('allow no more guesses at once than one after the other', async () => {
    const { client, codeFor } = await withCodes(harness, { attempts: 3 });
    const account = await client.create();
    const code = await codeFor(account);
    const guesses = Array.from({ length: 32 }, (_, step) => enter(client, account.address, not(code, step + 1)));
    const refusals = (await Promise.all(guesses)).map(({ refusal }) => refusal);
    expect(refusals.filter((refusal) => refusal === wrong)).to.have.length(3);
    expect(refusals.filter((refusal) => refusal === tooMany)).to.have.length(29);
  });

  it('count for the address of the client, where wrong passwords do', async () => {
    const clientHeader = 'X-Client-Address';
    const throttle = { failures: 100, clientFailures: 3, clientHeader, block: '5m' };
    const { client, codeFor } = await withCodes(harness, { attempts: 100 }, { throttle });
    const account = await client.create();
    const code = await codeFor(account);
    const from = (ip: string): Sent => ({ headers: { [clientHeader]: ip } });
    const attacker = from('203.0.113.7');
    // Right ones do not count, however many people are behind an address.
    for (let step = 0; step < 4; step++)
      expect((await enter(client, account.address, code, attacker)).status).to.equal(200);
    for (let step = 0; step < 3; step++)
      expect((await enter(client, newAddress(), code, attacker)).refusal).to.equal('404 user_not_found');
    const refused = await enter(client, account.address, code, attacker);
    expect(refused.refusal).to.equal(tooMany);
    // Not as long as a code lives: everybody may share the address.
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 300);
    const { address: email, password } = account;
    expect((await client.get('/users', { query: { email }, password, ...attacker })).status).to.equal(200);
    expect((await enter(client, account.address, code, from('203.0.113.8'))).status).to.equal(200);
  });

  it('are shown to administrators, who end the block', async () => {
    const { client, root, codeFor } = await withCodes(harness, { attempts: 2 });
    const account = await client.create();
    const code = await codeFor(account);
    const path = `/admin/users/${encodeURIComponent(account.address)}`;
    const counted = async () => Object((await root.get(`${path}/attempts`)).json).verification;
    expect(await counted()).to.deep.equal({ failures: 0, blockedForSeconds: 0 });
    for (let step = 1; step <= 2; step++) await enter(client, account.address, not(code, step));
    expect((await counted()).blockedForSeconds).to.be.within(3_540, 3_600);
    expect((await root.post(`${path}/unblock`)).status).to.equal(200);
    expect((await enter(client, account.address, code)).status).to.equal(200);
  });

  if (harness.lacks('names')) return;

  it('are accepted with the address only, because each other name would have a count of its own', async () => {
    const { client, codeFor } = await withCodes(harness, {}, { users: { ids: true } });
    const account = await client.create();
    const code = await codeFor(account);
    const { id } = Object((await client.read(account)).json);
    const refused = await client.get('/verify', { query: { id, token: code } });
    expect(refused.refusal).to.equal('400 invalid_parameter');
    expect((await enter(client, account.address, code)).status).to.equal(200);
  });
};

const documented = (harness: Harness): void => {
  it('are in the OpenAPI document, which is otherwise the same', async () => {
    const documentOf = async (client: Client) => Object((await client.get('/openapi.json')).json);
    const links = await documentOf((await harness.service()).client);
    const codes = await documentOf((await withCodes(harness)).client);
    expect(links.paths['/verify'].get.responses).to.not.have.property('429');
    expect(codes.paths['/verify'].get.responses['429'].description).to.include('too_many_attempts');
    expect(codes.paths['/verify'].get.responses['503'].description).to.include('overloaded');
    expect(codes.paths['/verify'].get.description).to.include('code');
    expect(codes.paths['/verify'].post.description).to.include('mails the code');
    const others = ({ paths: { '/verify': _, ...rest } }: { paths: Record<string, unknown> }) => rest;
    expect(others(codes)).to.deep.equal(others(links));
  });
};

/** Codes that verify an address (`email.form: code`). */
export const verificationCodes = (harness: Harness): void => {
  describe('codes that verify an address', () => {
    confirming(harness);
    describe('wrong ones', () => counting(harness));
    documented(harness);
  });
};
