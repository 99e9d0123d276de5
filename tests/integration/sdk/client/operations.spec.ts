import { expect } from 'chai';
import { type CheckOutcome, createClient, type Outcome, type User } from '../../../../sdk/client/index.ts';
import { startLatchkey, type TestLatchkey } from '../../../../sdk/testing/index.ts';

/** The user of a successful outcome; throws for a problem. */
const userOf = (outcome: Outcome): User => {
  if (outcome.ok) return outcome.user;
  throw new Error(`refused with ${outcome.problem.code}`);
};

/** The problem code of an outcome; `none` for a success. */
const codeOf = (outcome: Outcome | CheckOutcome): string => (outcome.ok ? 'none' : outcome.problem.code);

describe('the client', () => {
  let latchkey: TestLatchkey;
  let count = 0;

  before(async () => {
    latchkey = await startLatchkey({
      properties: { allowed: [{ name: 'visits', type: 'integer' }] },
      passwordHash: { headerSafe: false },
    });
  });
  after(() => latchkey.stop());

  /** Creates a user for one test. */
  const created = async (address = `client-${++count}@example.com`, password = 'correct horse') => {
    userOf(await latchkey.client.createUser({ email: { address }, password, plan: 'free' }));
    return { email: address, password };
  };

  it('creates a user and reads it', async () => {
    const jane = await created();
    const user = userOf(await latchkey.client.getUser(jane));
    expect(user.email).to.deep.equal({ address: jane.email, verified: false, verificationToken: null });
    expect(user.plan).to.equal('free');
    expect(user.creationTime).to.equal(user.lastUpdateTime);
  });

  it('reads a user with `settled`, and asks the service for it', async () => {
    const sent: (string | null)[] = [];
    const fetch = async (request: Request): Promise<Response> => {
      const response = await globalThis.fetch(request);
      sent.push(response.headers.get('preference-applied'));
      return response;
    };
    const { url, credentials } = latchkey;
    const client = createClient({ url, ...(credentials && { credentials }), fetch });
    const jane = await created();
    expect(userOf(await client.getUser({ ...jane, settled: true })).email.address).to.equal(jane.email);
    await client.getUser(jane);
    expect(sent).to.deep.equal(['settled', null]);
  });

  it('has wrong passwords counted for the address of the person, of the call or else of the client', async () => {
    const throttled = await startLatchkey({ throttle: { clientFailures: 1, clientHeader: 'X-Person' } });
    const { url, credentials } = throttled;
    const client = createClient({
      url,
      ...(credentials && { credentials }),
      clientHeader: 'X-Person',
      clientAddress: () => '192.0.2.1',
    });
    const [email, password] = ['nobody@example.com', 'a guess'];
    const codes = [];
    for (const options of [{}, {}, { clientAddress: '192.0.2.2' }])
      codes.push(codeOf(await client.checkPassword({ email, password }, options)));
    expect(codes).to.deep.equal(['user_not_found', 'too_many_attempts', 'user_not_found']);
    await throttled.stop();
  });

  it('updates a user, also to a new address', async () => {
    const jane = await created();
    const address = `moved-${jane.email}`;
    const user = userOf(await latchkey.client.updateUser(jane, { email: { address }, visits: 3 }));
    expect(user.email.address).to.equal(address);
    expect(codeOf(await latchkey.client.getUser(jane))).to.equal('user_not_found');
    expect(userOf(await latchkey.client.getUser({ ...jane, email: address })).visits).to.equal(3);
  });

  it('patches a user, and keeps what the patch does not name', async () => {
    const jane = await created();
    const address = `moved-${jane.email}`;
    const patched = await latchkey.client.patchUser(jane, { email: { address }, visits: 3, 'a/b': { c: null, d: 1 } });
    const { plan, visits, 'a/b': nested, email } = userOf(patched);
    expect({ plan, visits, nested }).to.deep.equal({ plan: 'free', visits: 3, nested: { d: 1 } });
    expect(email.address).to.equal(address);
    const moved = { ...jane, email: address };
    expect(userOf(await latchkey.client.patchUser(moved, { plan: null })).plan).to.equal(undefined);
    expect(codeOf(await latchkey.client.patchUser(moved, { visits: 'many' }))).to.equal('invalid_properties');
  });

  it('changes a user only in the version that was read, if `ifMatch` names it', async () => {
    const jane = await created();
    const { client } = latchkey;
    const etagOf = (outcome: Outcome): string => (outcome.ok ? outcome.etag : outcome.problem.code);
    const first = etagOf(await client.getUser(jane));
    const update = { email: { address: jane.email }, visits: 1 };
    const second = etagOf(await client.updateUser({ ...jane, ifMatch: first }, update));
    expect(second)
      .to.match(/^".+"$/)
      .and.not.equal(first);
    const late = { ...jane, ifMatch: first };
    for (const refused of [
      await client.updateUser(late, { ...update, visits: 2 }),
      await client.patchUser(late, { visits: 2 }),
      await client.sendVerification(late),
      await client.resetVerification(late),
      await client.deleteUser(late),
    ])
      expect(codeOf(refused)).to.equal('stale_user');
    expect(codeOf(await client.deleteUser({ ...jane, ifMatch: '' }))).to.equal('invalid_parameter');
    expect(userOf(await client.getUser(jane)).visits).to.equal(1);
    expect(codeOf(await client.deleteUser({ ...jane, ifMatch: second }))).to.equal('none');
  });

  it('verifies an address and resets it', async () => {
    const jane = await created();
    const { verificationToken: token } = userOf(await latchkey.client.sendVerification(jane)).email;
    if (token === null) throw new Error('no token was stored');
    const late = await latchkey.client.confirmVerification({ email: jane.email, token, ifMatch: '"another"' });
    expect(codeOf(late)).to.equal('stale_user');
    const verified = userOf(await latchkey.client.confirmVerification({ email: jane.email, token }));
    expect(verified.email.verified).to.equal(true);
    const reset = userOf(await latchkey.client.resetVerification(jane));
    expect(reset.email).to.deep.equal({ address: jane.email, verified: false, verificationToken: null });
  });

  it('deletes a user and returns it', async () => {
    const jane = await created();
    expect(userOf(await latchkey.client.deleteUser(jane)).email.address).to.equal(jane.email);
    expect(codeOf(await latchkey.client.getUser(jane))).to.equal('user_not_found');
  });

  for (const address of [
    'jane+tag@example.com',
    'q&a=1@example.com',
    "o'hara#%/?@example.com",
    'jörg@xn--exmple-cua.com',
  ]) {
    it(`finds ${address}`, async () => {
      const jane = await created(address);
      expect(userOf(await latchkey.client.getUser(jane)).email.address).to.equal(address);
      const { verificationToken: token } = userOf(await latchkey.client.sendVerification(jane)).email;
      expect(token).to.be.a('string');
      const confirmed = await latchkey.client.confirmVerification({ email: address, token: token ?? '' });
      expect(userOf(confirmed).email.verified).to.equal(true);
    });
  }

  for (const password of ['pässwörd', '密码🔑', 'a, b; "c" =d', 'tab\tinside', '\u0085\u00a0x', 'ÿþ']) {
    it(`checks the password ${JSON.stringify(password)}`, async () => {
      const jane = await created(undefined, password);
      expect(userOf(await latchkey.client.getUser(jane)).password).to.equal(password);
      expect(codeOf(await latchkey.client.getUser({ ...jane, password: `${password}!` }))).to.equal('wrong_password');
    });
  }

  for (const password of [' spaces ', 'line\nbreak', 'carriage\rreturn', 'nul\0', 'bell\x07', 'delete\x7f']) {
    it(`checks ${JSON.stringify(password)}, which it encodes for the header`, async () => {
      const jane = await created(undefined, password);
      expect(userOf(await latchkey.client.getUser(jane)).password).to.equal(password);
      expect(codeOf(await latchkey.client.getUser({ ...jane, password: `${password}!` }))).to.equal('wrong_password');
    });
  }

  for (const password of [' spaces around it ', 'line\nbreak', 'nul\0', 'pässwörd', 'x'.repeat(20_000)]) {
    it(`checks the password ${JSON.stringify(password).slice(0, 30)} in the body`, async () => {
      const jane = await created(undefined, password);
      expect(await latchkey.client.checkPassword(jane)).to.deep.equal({ ok: true });
      const wrong = await latchkey.client.checkPassword({ ...jane, password: `${password}!` });
      expect(codeOf(wrong)).to.equal('wrong_password');
      const unknown = await latchkey.client.checkPassword({ ...jane, email: 'nobody@example.com' });
      expect(codeOf(unknown)).to.equal('user_not_found');
    });
  }

  const refusals: Readonly<Record<string, () => Promise<Outcome>>> = {
    user_exists: async () => {
      const { email, password } = await created();
      return latchkey.client.createUser({ email: { address: email }, password });
    },
    wrong_password: async () => latchkey.client.deleteUser({ ...(await created()), password: 'wrong' }),
    user_not_found: () => latchkey.client.getUser({ email: 'nobody@example.com', password: 'any' }),
    address_taken: async () => {
      const other = await created();
      return latchkey.client.updateUser(await created(), { email: { address: other.email } });
    },
    invalid_parameter: async () => latchkey.client.getUser({ email: (await created()).email }),
    invalid_body: () => latchkey.client.createUser({ email: { address: 'nobody' }, password: 'any' }),
    invalid_properties: () =>
      latchkey.client.createUser({ email: { address: 'many@example.com' }, password: 'any', visits: 'many' }),
    user_too_large: () =>
      latchkey.client.createUser({ email: { address: 'big@example.com' }, password: 'any', big: 'x'.repeat(400_000) }),
    body_too_large: () =>
      latchkey.client.createUser({ email: { address: 'big@example.com' }, password: 'any', big: 'x'.repeat(2 ** 21) }),
    token_mismatch: async () => {
      const jane = await created();
      return latchkey.client.confirmVerification({ email: jane.email, token: 'another' });
    },
    headers_too_large: async () =>
      latchkey.client.getUser({ email: (await created()).email, password: 'x'.repeat(20_000) }),
  };

  for (const [code, refused] of Object.entries(refusals)) {
    it(`resolves with the problem ${code}`, async () => {
      const outcome = await refused();
      expect(codeOf(outcome)).to.equal(code);
      if (!outcome.ok) expect(outcome.problem.type).to.equal(`urn:latchkey:problem:${code}`);
    });
  }
});

describe('the client of a service with headerCheck: false', () => {
  it('needs no password', async () => {
    const { client, stop } = await startLatchkey({ passwordHash: { headerCheck: false } });
    try {
      await client.createUser({ email: { address: 'jane@example.com' }, password: 'correct horse' });
      expect(userOf(await client.getUser({ email: 'jane@example.com' })).email.address).to.equal('jane@example.com');
      const wrong = await client.checkPassword({ email: 'jane@example.com', password: 'wrong' });
      expect(codeOf(wrong)).to.equal('wrong_password');
    } finally {
      await stop();
    }
  });
});

describe('the client of a service with mails in two languages', () => {
  it('passes the languages of the user on', async () => {
    const latchkey = await startLatchkey({ email: { locales: ['de'] } });
    try {
      const jane = { email: 'jane@example.com', password: 'correct horse' };
      userOf(await latchkey.client.createUser({ email: { address: jane.email }, password: jane.password }));
      userOf(await latchkey.client.sendVerification({ ...jane, acceptLanguage: 'de-CH, en;q=0.5' }));
      userOf(await latchkey.client.sendVerification(jane));
      const subjects = latchkey.mails.map(({ subject }) => subject);
      expect(subjects).to.deep.equal(['Bestätigen Sie Ihre E-Mail-Adresse', 'Account Verification']);
    } finally {
      await latchkey.stop();
    }
  });
});

describe('the client of a service without mails', () => {
  it('reports route_not_found', async () => {
    const { client, stop } = await startLatchkey({ email: { type: 'none' } });
    try {
      expect(codeOf(await client.sendVerification({ email: 'jane@example.com' }))).to.equal('route_not_found');
    } finally {
      await stop();
    }
  });
});

describe('the client of a service with privacy.hidePasswords', () => {
  let latchkey: TestLatchkey;
  before(async () => {
    latchkey = await startLatchkey({ privacy: { hidePasswords: true } });
  });
  after(() => latchkey.stop());

  it('returns users without a password, from every operation', async () => {
    const { client } = latchkey;
    const jane = { email: 'jane@example.com', password: 'correct horse' };
    const body = { email: { address: jane.email }, plan: 'free' };
    const created = await client.createUser({ ...body, password: jane.password });
    const read = await client.getUser(jane);
    const updated = await client.updateUser(jane, body);
    const sent = await client.sendVerification(jane);
    const token = userOf(sent).email.verificationToken ?? '';
    const verified = await client.confirmVerification({ email: jane.email, token });
    const reset = await client.resetVerification(jane);
    const deleted = await client.deleteUser(jane);
    for (const outcome of [created, read, updated, sent, verified, reset, deleted]) {
      const user = userOf(outcome);
      expect(user.email.address).to.equal(jane.email);
      expect(user.plan).to.equal('free');
      expect(user).to.not.have.property('password');
    }
  });
});
