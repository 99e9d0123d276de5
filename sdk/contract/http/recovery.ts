import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { maxRequestDelayMs } from '../../../application/outgoing/delayed-requests.ts';
import type { ApiResponse } from './api-response.ts';
import { type Account, basic, Client, newAddress, newPassword } from './client.ts';
import { type Blocks, type Harness, publicUrl, type TestService } from './harness.ts';
import { scraped } from './metrics.ts';

const passwordHash = { algorithm: 'sha256', serverSideHash: true };

/** Without an interval between tokens, so that tests do not wait. */
const caller = { deliver: 'caller', resendInterval: '1ms' };

const codes = { ...caller, form: 'code', codeKey: 'a key of thirty-two bytes or more' };

const withRecovery = (recovery: object, blocks: Blocks = {}): Blocks => ({ passwordHash, recovery, ...blocks });

const tokenFor = async (client: Client, address: string): Promise<string> => {
  const response = await client.post('/recovery', { query: { email: address } });
  expect(response.status, response.text).to.equal(200);
  const { token, expires } = Object(response.json);
  expect(expires).to.be.closeTo(Date.now() + 3_600_000, 60_000);
  return token;
};

const confirm = (client: Client, address: string, token: string, password: string): Promise<ApiResponse> =>
  client.post('/recovery/confirm', { body: { email: { address }, token, password } });

const checkPassword = async (client: Client, address: string, password: string): Promise<number> =>
  (await client.get('/users', { query: { email: address }, password })).status;

const passwordTimeOf = (response: ApiResponse): number => Object(response.json).passwordTime;

const withdrawals = (harness: Harness): void => {
  const changes: Readonly<Record<string, (client: Client, account: Account) => Promise<string>>> = {
    'a new password': async (client, { address, password }) => {
      const body = { email: { address }, password: newPassword() };
      expect((await client.put('/users', { password, body })).status).to.equal(200);
      return address;
    },
    'a new address': async (client, { address, password }) => {
      const moved = newAddress();
      const body = { email: { address: moved } };
      expect((await client.put('/users', { query: { email: address }, password, body })).status).to.equal(200);
      return moved;
    },
    'a newer token': async (client, { address }) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await tokenFor(client, address);
      return address;
    },
  };
  for (const [change, apply] of Object.entries(changes))
    it(`400 token_mismatch after ${change}`, async () => {
      const { client } = await harness.service(withRecovery(caller));
      const account = await client.create();
      const token = await tokenFor(client, account.address);
      const address = await apply(client, account);
      expect((await confirm(client, address, token, newPassword())).refusal).to.equal('400 token_mismatch');
    });
};

const attempts = (harness: Harness): void => {
  it('429 too_many_attempts after wrong codes, for known and unknown addresses alike, also for a new code', async () => {
    const { client } = await harness.service(withRecovery({ ...codes, attempts: 3 }));
    const { address } = await client.create();
    for (const subject of [address, newAddress()]) {
      for (let failed = 0; failed < 3; failed++)
        expect((await confirm(client, subject, `wrong-${failed}`, newPassword())).refusal).to.equal(
          '400 token_mismatch',
        );
      const refused = await confirm(client, subject.toUpperCase(), 'wrong', newPassword());
      expect(refused.refusal).to.equal('429 too_many_attempts');
      expect(Number(refused.headers.get('retry-after'))).to.be.within(3_540, 3_600);
    }
    const token = await tokenFor(client, address);
    expect((await confirm(client, address, token, newPassword())).refusal).to.equal('429 too_many_attempts');
  });

  it('does not block the token of a link, so that others cannot keep its holder from using it', async () => {
    const { client } = await harness.service(withRecovery({ ...caller, attempts: 1 }));
    const { address } = await client.create();
    const token = await tokenFor(client, address);
    for (const refusal of ['400 token_mismatch', '429 too_many_attempts'])
      expect((await confirm(client, address, 'wrong', newPassword())).refusal).to.equal(refusal);
    expect((await confirm(client, address, token, newPassword())).status).to.equal(204);
    // The recovery has ended the count.
    expect((await confirm(client, address, token, newPassword())).refusal).to.equal('400 token_mismatch');
  });

  it('counts wrong tokens apart from wrong passwords, and ends a block by wrong passwords', async () => {
    const throttle = { failures: 2, clientFailures: 0, block: '1h' };
    const { client } = await harness.service(withRecovery({ ...caller, attempts: 3 }, { throttle }));
    const { address } = await client.create();
    for (let failed = 0; failed < 2; failed++)
      expect(await checkPassword(client, address, newPassword())).to.equal(401);
    expect(await checkPassword(client, address, newPassword())).to.equal(429);
    for (let failed = 0; failed < 2; failed++)
      expect((await confirm(client, address, 'wrong', newPassword())).refusal).to.equal('400 token_mismatch');
    const password = newPassword();
    expect((await confirm(client, address, await tokenFor(client, address), password)).status).to.equal(204);
    expect(await checkPassword(client, address, password)).to.equal(200);
  });
};

const verificationLinks = (harness: Harness): void => {
  it('end with a recovery, because a person who had the password before may have one, and a link reads the user', async () => {
    const { client } = await harness.service(withRecovery(caller));
    const { address, password } = await client.create();
    const verificationToken = 'a token that an intruder chose';
    const body = { email: { address, verificationToken } };
    expect((await client.put('/users', { password, body })).status).to.equal(200);
    const link = { query: { email: address, token: verificationToken } };
    expect((await client.get('/verify', link)).status).to.equal(200);
    expect((await confirm(client, address, await tokenFor(client, address), newPassword())).status).to.equal(204);
    expect((await client.get('/verify', link)).refusal).to.equal('400 token_mismatch');
  });
};

const recipients = (harness: Harness): void => {
  it('tells the caller the address to which the token belongs, because another spelling of it may be another mailbox', async () => {
    const { client } = await harness.service(withRecovery(caller));
    // The final sigma and the other one are one letter here, and may be two for a mail server.
    const [local = ''] = newAddress().split('@');
    const { address } = await client.create({ address: `${local}.σίσυφος@example.com` });
    const issued = await client.post('/recovery', { query: { email: `${local}.σίσυφοσ@example.com` } });
    expect(issued.status, issued.text).to.equal(200);
    expect(Object(issued.json)).to.include({ address });
  });
};

const shownTimes = (harness: Harness): void => {
  it('shows passwordTime in every user answer, and ignores it in bodies', async () => {
    const { client } = await harness.service(withRecovery(caller));
    const { address, password, user } = await client.create({ properties: { passwordTime: 'mine', a: 1 } });
    expect(user).to.deep.include({ passwordTime: user.creationTime, a: 1 });
    const same = await client.put('/users', { password, body: { ...user, a: 2 } });
    expect(Object(same.json)).to.deep.include({ passwordTime: user.creationTime, a: 2 });
    const body = { email: { address }, password: newPassword() };
    const changed = await client.put('/users', { password, body });
    expect(passwordTimeOf(changed)).to.equal(changed.user.lastUpdateTime);
    const patch = { query: { email: address }, password: body.password, body: { passwordTime: null } };
    expect(passwordTimeOf(await client.send('PATCH', '/users', patch))).to.equal(passwordTimeOf(changed));
  });

  it('leaves a custom property of that name alone without the blocks', async () => {
    const { client } = await harness.service({ passwordHash });
    const account = await client.create({ properties: { passwordTime: 'mine' } });
    expect(Object((await client.read(account)).json).passwordTime).to.equal('mine');
    const shown = (await harness.service(withRecovery(caller))).client;
    expect(passwordTimeOf(await shown.read(account))).to.equal(account.user.creationTime);
  });
};

const deliveryToCaller = (harness: Harness): void => {
  it('replaces a forgotten password once, and verifies the address', async () => {
    const { client } = await harness.service(withRecovery(caller));
    const account = await client.create();
    const token = await tokenFor(client, account.address.toUpperCase());
    const before = await client.read(account);
    expect(before.text).not.to.contain('recovery');
    const password = newPassword();
    const confirmed = await confirm(client, account.address.toUpperCase(), token, password);
    expect([confirmed.status, confirmed.text]).to.deep.equal([204, '']);
    expect(await checkPassword(client, account.address, account.password)).to.equal(401);
    const read = await client.read({ address: account.address, password });
    expect(read.user.email.verified).to.equal(true);
    expect(passwordTimeOf(read)).to.equal(read.user.lastUpdateTime);
    expect((await confirm(client, account.address, token, newPassword())).refusal).to.equal('400 token_mismatch');
  });

  it('204 for exactly one of 64 confirmations at once', async () => {
    const { client } = await harness.service(withRecovery({ ...caller, attempts: 100 }));
    const { address } = await client.create();
    const token = await tokenFor(client, address);
    const passwords = Array.from({ length: 64 }, newPassword);
    const responses = await Promise.all(passwords.map((password) => confirm(client, address, token, password)));
    const accepted = passwords.filter((_, index) => responses[index]?.status === 204);
    expect(accepted).to.have.length(1);
    expect(await checkPassword(client, address, accepted[0] ?? '')).to.equal(200);
  });

  it('404 user_not_found for an unknown address, and 429 resend_too_soon after another token', async () => {
    const { client } = await harness.service(withRecovery({ deliver: 'caller' }));
    const { address } = await client.create();
    const unknown = await client.post('/recovery', { query: { email: newAddress() } });
    expect(unknown.refusal).to.equal('404 user_not_found');
    await tokenFor(client, address);
    const again = await client.post('/recovery', { query: { email: address } });
    expect(again.refusal).to.equal('429 resend_too_soon');
    expect(Number(again.headers.get('retry-after'))).to.be.within(1, 60);
  });

  it('400 weak_password leaves the token as it is', async () => {
    const { client } = await harness.service(withRecovery({ ...caller, attempts: 1 }, { passwordRules: {} }));
    const { address } = await client.create();
    const token = await tokenFor(client, address);
    expect((await confirm(client, address, token, 'short')).refusal).to.equal('400 weak_password');
    expect((await confirm(client, address, token, newPassword())).status).to.equal(204);
  });

  it('400 token_expired only for the holder of the token', async () => {
    const short = { ...caller, lifetime: '30ms', resendInterval: '1ms', attempts: 100 };
    const { client } = await harness.service(withRecovery(short));
    const { address } = await client.create();
    const { token } = Object((await client.post('/recovery', { query: { email: address } })).json);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await confirm(client, address, 'wrong', newPassword())).refusal).to.equal('400 token_mismatch');
    expect((await confirm(client, address, token, newPassword())).refusal).to.equal('400 token_expired');
  });

  it('gives codes of six digits, each for one user', async () => {
    const { client } = await harness.service(withRecovery(codes));
    const [{ address }, other] = [await client.create(), await client.create()];
    const code = await tokenFor(client, address);
    expect(code).to.match(/^\d{6}$/);
    await tokenFor(client, other.address);
    expect((await confirm(client, other.address, code, newPassword())).refusal).to.equal('400 token_mismatch');
    expect((await confirm(client, address, code, newPassword())).status).to.equal(204);
  });

  it('400 invalid_body without a token or a password, and with unknown members', async () => {
    const { client } = await harness.service(withRecovery(caller));
    const email = { address: newAddress() };
    for (const body of [{ email }, { email, token: '', password: 'p' }, { email, token: 't', password: 'p', a: 1 }])
      expect((await client.post('/recovery/confirm', { body })).refusal).to.equal('400 invalid_body');
  });

  describe('the token', () => withdrawals(harness));
  describe('wrong tokens', () => attempts(harness));
};

const until = async <Result>(read: () => Promise<readonly Result[]>, count: number): Promise<readonly Result[]> => {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const found = await read();
    if (found.length >= count || performance.now() > deadline) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

const linkPattern = /https:\/\/\S+/;

const deliveryByMail = (harness: Harness): void => {
  const request = (client: Client, email: string, headers = {}): Promise<ApiResponse> =>
    client.post('/recovery', { query: { email }, headers });

  /** One configuration for all tests, because services of one database answer each other's requests. */
  const started = async (): Promise<Pick<TestService, 'client' | 'mailsTo' | 'adminUrl'>> => {
    const email = await harness.queuedEmail();
    const { client, adminUrl } = await harness.service(withRecovery({}, { email, passwordRules: {} }));
    return {
      client,
      adminUrl,
      mailsTo: async (address) => (await harness.mailsIn(email.directory)).filter(({ to }) => to === address),
    };
  };

  const mailTo = async (mailsTo: TestService['mailsTo'], address: string): Promise<string> => {
    const [mail] = await until(() => mailsTo(address), 1);
    return mail?.text ?? '';
  };

  it('mails a link, with whose token the password is replaced', async () => {
    const { client, mailsTo } = await started();
    const { address } = await client.create();
    const response = await request(client, address.toUpperCase());
    expect([response.status, response.text]).to.deep.equal([202, '']);
    const link = new URL(linkPattern.exec(await mailTo(mailsTo, address))?.[0] ?? '');
    expect(`${link.origin}${link.pathname}`).to.equal(`${publicUrl}/recovery`);
    const { email, token = '' } = Object.fromEntries(link.searchParams);
    expect(email).to.equal(address);
    const password = newPassword();
    expect((await confirm(client, address, token, password)).status).to.equal(204);
    expect((await client.read({ address, password })).user.email.verified).to.equal(true);
  });

  it('is visible to operators', async () => {
    const { client, mailsTo, adminUrl } = await started();
    const { address } = await client.create();
    await request(client, address);
    await mailTo(mailsTo, address);
    const processed = async () => (await scraped(adminUrl)).at('latchkey_recovery_requests_processed_total');
    const [total = 0] = await until(async () => [await processed()].filter((count) => count > 0), 1);
    expect(total).to.be.above(0);
    const { healthy, message } = Object(await (await fetch(`${adminUrl}/healthcheck`)).json()).recovery;
    expect(healthy).to.equal(true);
    expect(message).to.match(/^requests are processed, \d+ waiting/);
  });

  it('is started by administrators, who see the time of the password and cannot change it', async () => {
    const secret = 'a secret of the administrators';
    const email = await harness.queuedEmail();
    const blocks = { email, passwordRules: {}, admin: { keys: [{ application: 'root', secret }] } };
    const { client, adminUrl } = await harness.service(withRecovery({}, blocks));
    const root = new Client(adminUrl, basic('root', secret), harness.leakDetector);
    const { address, user } = await client.create();
    const started = await root.post(`/admin/users/${address}/recovery`);
    expect([started.status, passwordTimeOf(started)]).to.deep.equal([200, user.creationTime]);
    const read = async () => (await harness.mailsIn(email.directory)).filter(({ to }) => to === address);
    const [mail] = await until(read, 1);
    expect(mail?.subject).to.equal('Choose a new password');
    const edited = await root.send('PATCH', `/admin/users/${address}`, { body: { passwordTime: null, plan: 'paid' } });
    expect(Object(edited.json)).to.deep.include({ passwordTime: user.creationTime, plan: 'paid' });
    const unknown = await root.post(`/admin/users/${newAddress()}/recovery`);
    expect(unknown.refusal).to.equal('404 user_not_found');
    const page = await root.get('/admin/user', { query: { address } });
    expect(page.text).to.contain('Mail a link for a new password');
  });

  it('answers every address with the same bytes, and mails nothing to an unknown or disabled one', async () => {
    const { client, mailsTo } = await started();
    const [known, last] = [await client.create(), await client.create()];
    const unknown = newAddress();
    const answers = [];
    for (const address of [known.address, known.address, unknown, last.address])
      answers.push(await request(client, address));
    const processed = performance.now() + maxRequestDelayMs + 1_000;
    const bytes = answers.map(({ status, text, headers }) => [status, text, [...headers.keys()]]);
    for (const answer of bytes) expect(answer).to.deep.equal(bytes[0]);
    await mailTo(mailsTo, last.address);
    await mailTo(mailsTo, known.address);
    // After the longest delay of a request.
    await new Promise((resolve) => setTimeout(resolve, processed - performance.now()));
    expect(await mailsTo(unknown)).to.deep.equal([]);
    expect(await mailsTo(known.address)).to.have.length(1);
  });
};

const policy =
  /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/;

/** What a page says in its heading. */
const headingOf = ({ text }: Pick<ApiResponse, 'text'>): string => /<h1>([^<]*)/.exec(text)?.[1] ?? '';

const page = (harness: Harness): void => {
  /** A service with the page, and a token for a user of it. */
  const issued = async (passwordRules: object = {}, locales: readonly string[] = [], given = newAddress()) => {
    const email = { ...(await harness.queuedEmail()), locales };
    const { client } = await harness.service(withRecovery({}, { email, passwordRules }));
    const account = await client.create({ address: given });
    const token = await tokenFor((await harness.service(withRecovery(caller))).client, account.address);
    return { client, account, token };
  };

  const open = (client: Client, query: Readonly<Record<string, string>>): Promise<ApiResponse> =>
    client.get('/recovery', { query, authorization: null });

  const sendForm = (
    client: Client,
    fields: Readonly<Record<string, string>> | string,
    languages = '',
    action = 'recovery/password',
  ): Promise<ApiResponse> =>
    client.post(`/${action}`, {
      authorization: null,
      raw: new URLSearchParams(fields).toString(),
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Origin: 'null',
        'Accept-Language': languages,
      },
    });

  it('asks for a password, and changes nothing', async () => {
    const { client, account, token } = await issued();
    const { address: email } = account;
    const opened = await open(client, { email, token });
    expect(opened.status).to.equal(200);
    expect(opened.headers.get('content-security-policy')).to.match(policy);
    expect(opened.headers.get('cache-control')).to.equal('no-store');
    expect(opened.headers.get('referrer-policy')).to.equal('no-referrer');
    expect(opened.text).to.match(/<input [^>]*name="email"[^>]* autocomplete="username" readonly>/);
    expect(opened.text).to.match(/<input [^>]*name="password" type="password" autocomplete="new-password"/);
    expect(opened.text).to.contain('<form method="post" action="recovery/password">').and.not.contain('<script');
    await client.read(account);
    expect((await open(client, { email, token })).text, 'again').to.equal(opened.text);
  });

  it('says at once that a link no longer works, without telling whether a user exists', async () => {
    const { client, account, token } = await issued();
    const { address: email } = account;
    const opened = async (query: Readonly<Record<string, string>>) => {
      const { status, text } = await open(client, query);
      return [status, headingOf({ text }), text];
    };
    const wrong = await opened({ email, token: 'another' });
    expect(wrong.slice(0, 2)).to.deep.equal([400, 'This link no longer works']);
    expect(await opened({ email: newAddress(), token })).to.deep.equal(wrong);
    // As many as block the user, because none of them is counted.
    for (let more = 0; more < 5; more++) await opened({ email, token: `wrong ${more}` });
    const sent = await sendForm(client, { email, token, password: newPassword() });
    expect(sent.status, headingOf(sent)).to.equal(303);
    expect(await opened({ email, token })).to.deep.equal(wrong);
  });

  it('says at once that a link has expired, to its holder only', async () => {
    const email = await harness.queuedEmail();
    const { client } = await harness.service(withRecovery({ lifetime: '30ms', resendInterval: '1ms' }, { email }));
    const account = await client.create();
    const token = await tokenFor((await harness.service(withRecovery(caller))).client, account.address);
    const opened = async (given: string) => headingOf(await open(client, { email: account.address, token: given }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await opened(token)).to.equal('This link has expired');
    expect(await opened('another')).to.equal('This link no longer works');
  });

  it('keeps the spelling of the address, whose folded form may be too long for one', async () => {
    const address = `${newAddress().split('@')[0]}${'İ'.repeat(24)}@example.com`;
    const { client, token } = await issued({ minLength: 10 }, [], address);
    let shown = await open(client, { email: address, token });
    for (const password of ['short', newPassword()]) {
      const [, email = ''] = /name="email" type="email" value="([^"]*)"/.exec(shown.text) ?? [];
      expect(email).to.equal(address);
      shown = await sendForm(client, { email, token, password });
    }
    expect(shown.status, headingOf(shown)).to.equal(303);
  });

  it('sets the password once, and redirects to a page without the token', async () => {
    const { client, account, token } = await issued();
    const password = newPassword();
    const sent = await sendForm(client, { email: account.address, token, password });
    expect([sent.status, sent.headers.get('location')]).to.deep.equal([303, '/recovery/success']);
    expect(await checkPassword(client, account.address, password)).to.equal(200);
    expect(headingOf(await client.get('/recovery/success', { authorization: null }))).to.equal(
      'Your password has been changed',
    );
    const again = await sendForm(client, { email: account.address, token, password: newPassword() });
    expect([again.status, headingOf(again)]).to.deep.equal([400, 'This link no longer works']);
  });

  it('shows the form again for a password that is refused, without the password', async () => {
    const { client, account, token } = await issued();
    for (const [password, reason] of [
      ['123abc', 'Use at least 8 characters.'],
      ['', 'Enter a new password.'],
    ] as const) {
      const again = await sendForm(client, { email: account.address, token, password });
      expect(again.status).to.equal(400);
      expect(again.headers.get('content-security-policy')).to.match(policy);
      expect(again.text).to.contain(reason).and.contain(token).and.contain('action="password"');
      expect(again.text).not.to.contain('123abc');
    }
    expect((await sendForm(client, { email: account.address, token, password: newPassword() })).status).to.equal(303);
  });

  it('states the rules before a password is typed, and when it is refused', async () => {
    const blocklist = await harness.file('stated-passwords.txt', 'correct horse battery staple\n');
    const { client, account, token } = await issued(
      { minLength: 12, maxLength: 80, notAddress: true, minScore: 1, blocklist },
      ['de'],
    );
    const { address: email } = account;
    const rulesIn = ({ text }: { readonly text: string }) =>
      [...(/<ul class="rules" id="rules">(.*)<\/ul>/.exec(text)?.[1] ?? '').matchAll(/<li>([^<]+)<\/li>/g)].map(
        ([, rule]) => rule,
      );
    const opened = await open(client, { email, token });
    expect(rulesIn(opened)).to.deep.equal([
      'Use at least 12 characters.',
      'Use at most 80 characters.',
      'Do not use your email address, or the part before its @.',
      'Do not use a well-known password, or one that you use elsewhere.',
      'Choose one that is hard to guess, such as a few unrelated words.',
    ]);
    expect(opened.text).to.match(/<input id="password"[^>]* autofocus aria-describedby="rules">/);
    expect(rulesIn(await open(client, { email, token, locale: 'de' }))[0]).to.equal(
      'Benutzen Sie mindestens 12 Zeichen.',
    );
    const again = await sendForm(client, { email, token, password: 'short' });
    expect(rulesIn(again)).to.have.length(5);
    expect(again.text).to.contain(' aria-invalid="true" aria-describedby="rules error">');
  });

  it('says in the language of the browser which rules refuse a password', async () => {
    const blocklist = await harness.file('known-passwords.txt', 'correct horse battery staple\n');
    const { client, account, token } = await issued({ maxLength: 80, notAddress: true, minScore: 1, blocklist }, [
      'de',
    ]);
    const { address: email } = account;
    for (const [password, english, german] of [
      ['short', ['Use at least 8 characters.'], ['Benutzen Sie mindestens 8 Zeichen.']],
      ['x7'.repeat(40) + newPassword(), ['Use at most 80 characters.'], ['Benutzen Sie höchstens 80 Zeichen.']],
      ['correct horse battery staple', ['on a list of known passwords'], ['Liste bekannter Passwörter']],
      [`1 ${email} 2`, ['Do not use your email address'], ['weder Ihre E-Mail-Adresse']],
      ['aaaaaaaaa', ['too easy to guess'], ['zu leicht zu erraten']],
      [`${newPassword()} `, ['Remove spaces'], ['Entfernen Sie Leerzeichen']],
      [`${newPassword()}\n1`, ['Remove line breaks'], ['Entfernen Sie Zeilenumbrüche']],
      ['aaaa', ['at least 8 characters', 'too easy'], ['mindestens 8 Zeichen', 'zu leicht']],
    ] as const)
      for (const [language, reasons] of [
        ['en', english],
        ['de-AT', german],
      ] as const) {
        const again = await sendForm(client, { email, token, password }, language);
        expect(again.status, password).to.equal(400);
        const [, alert = ''] = /role="alert">(.*)<\/div>/.exec(again.text) ?? [];
        for (const reason of reasons) expect(alert).to.contain(reason);
        if (reasons.length > 1) expect(alert).to.match(/^<ul>(?:<li>[^<]+<\/li>){2,}<\/ul>$/);
      }
  });

  it('accepts only small forms without a content encoding, as browsers send them', async () => {
    const { client, account, token } = await issued();
    const form = new URLSearchParams({ email: account.address, token, password: newPassword() }).toString();
    const send = async (raw: string | Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}) => {
      const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const sent = { authorization: null, raw, headers: { ...type, ...headers } };
      return (await client.post('/recovery/password', sent)).status;
    };
    expect(await send(`${form}&x=${'q'.repeat(8 * 1024)}`)).to.equal(413);
    expect(await send(new Uint8Array(gzipSync(form)), { 'Content-Encoding': 'gzip' })).to.equal(415);
    expect(await send(`${form}${'&a'.repeat(14)}`)).to.equal(400);
    expect(await send(`${form}&a`)).to.equal(303);
  });

  it('keeps the language of the link to the end, whatever the browser prefers', async () => {
    const { client, account, token } = await issued({}, ['de']);
    const { address: email } = account;
    const opened = await open(client, { email, token, locale: 'de' });
    expect(opened.text).to.contain('<html lang="de">');
    const [, action = ''] = /action="([^"]+)"/.exec(opened.text) ?? [];
    const again = await sendForm(client, { email, token, password: 'short' }, 'en', action);
    expect(again.text).to.contain('Benutzen Sie mindestens 8 Zeichen.').and.contain('action="password?locale=de"');
    const sent = await sendForm(client, { email, token, password: newPassword() }, 'en', action);
    const location = sent.headers.get('location') ?? '';
    expect(location).to.equal('/recovery/success?locale=de');
    const last = await client.get(location, { authorization: null, headers: { 'Accept-Language': 'en' } });
    expect(headingOf(last)).to.equal('Ihr Passwort wurde geändert');
  });

  it('escapes what the link contains, and refuses links without an address with a page', async () => {
    const { client } = await issued();
    const shown = await sendForm(client, { email: newAddress(), token: '"><script>', password: '' });
    expect(shown.text).to.contain('value="&quot;&gt;&lt;script&gt;"').and.not.contain('<script>');
    const refused = await open(client, { email: 'no address', token: 't' });
    expect([refused.status, headingOf(refused)]).to.deep.equal([400, 'This link no longer works']);
  });

  it('counts wrong tokens of the form and of applications together', async () => {
    const { client, account, token } = await issued();
    for (let failed = 0; failed < 5; failed++)
      await sendForm(client, { email: account.address, token: `wrong ${failed}`, password: newPassword() });
    const refused = await sendForm(client, { email: account.address, token: 'wrong', password: newPassword() });
    expect([refused.status, headingOf(refused)]).to.deep.equal([429, 'Too many attempts']);
    expect((await confirm(client, account.address, 'wrong', newPassword())).refusal).to.equal('429 too_many_attempts');
    expect((await sendForm(client, { email: account.address, token, password: newPassword() })).status).to.equal(303);
  });

  it('refuses a form with a field twice, also the same value, and keeps the token', async () => {
    const { client, account, token } = await issued();
    const password = newPassword();
    const form = new URLSearchParams({ email: account.address, token, password }).toString();
    for (const [field, value] of Object.entries({ email: newAddress(), token: 'other', password: newPassword() }))
      for (const repeated of [value, new URLSearchParams(form).get(field) ?? ''])
        for (const fields of [
          `${form}&${new URLSearchParams({ [field]: repeated })}`,
          `${new URLSearchParams({ [field]: repeated })}&${form}`,
        ]) {
          const refused = await sendForm(client, fields);
          expect([refused.status, headingOf(refused)], field).to.deep.equal([400, 'This link no longer works']);
        }
    expect(await checkPassword(client, account.address, account.password)).to.equal(200);
    expect((await sendForm(client, form)).status).to.equal(303);
  });

  it('415 unsupported_media_type for another body than a form', async () => {
    const { client } = await issued();
    expect((await client.post('/recovery/password', { authorization: null, body: {} })).status).to.equal(415);
  });
};

/** The replacement of forgotten passwords. */
export const recovery = (harness: Harness): void => {
  describe('/recovery', () => {
    it('404 route_not_found without the block', async () => {
      const { client } = await harness.service();
      for (const path of ['/recovery', '/recovery/confirm'])
        expect((await client.post(path, { query: { email: newAddress() } })).refusal).to.equal('404 route_not_found');
    });

    it('needs client authentication', async () => {
      const { client } = await harness.service(withRecovery(caller));
      for (const path of ['/recovery', '/recovery/confirm'])
        expect((await client.post(path, { authorization: null })).refusal).to.equal('401 client_unauthorized');
    });

    if (!harness.lacks('events')) {
      describe('by mail', () => deliveryByMail(harness));
      describe('the page', () => page(harness));
    }
    describe('with deliver: caller', () => deliveryToCaller(harness));
    describe('the time of the password', () => shownTimes(harness));
    describe('the recipient', () => recipients(harness));
    describe('verification links', () => verificationLinks(harness));
  });
};
