import { expect } from 'chai';
import type { CheckOutcome, Outcome, RecoveryOutcome, UserKey } from '../../../../sdk/client/index.ts';
import { startLatchkey, type TestLatchkey } from '../../../../sdk/testing/index.ts';

const codeOf = (outcome: Outcome | CheckOutcome | RecoveryOutcome): string =>
  outcome.ok ? 'none' : outcome.problem.code;

describe('the client of a service with ids and unique properties', () => {
  let latchkey: TestLatchkey;
  let count = 0;
  const password = 'correct horse';

  before(async () => {
    latchkey = await startLatchkey({
      users: { ids: true },
      properties: { allowed: [{ name: 'username', type: 'string', unique: true, fold: 'caseless' }] },
      recovery: { deliver: 'caller', resendInterval: '1ms' },
    });
  });
  after(() => latchkey.stop());

  const created = async () => {
    const [id, email, username] = [`usr_${++count}`, `keys-${count}@example.com`, `Jane-${count}`];
    const outcome = await latchkey.client.createUser({ id, email: { address: email }, password, username });
    expect(outcome.ok && outcome.user.id).to.equal(id);
    const keys: Readonly<Record<string, UserKey>> = { id: { id }, email: { email }, unique: { unique: { username } } };
    return { id, email, keys: Object.entries(keys) };
  };

  it('shows the id that the service chose, and whether a repeated create has the same one', async () => {
    const user = { email: { address: 'chosen@example.com' }, password };
    const first = await latchkey.client.createUser(user);
    const id = first.ok ? String(first.user.id) : '';
    expect(id).to.match(/^[\da-f-]{36}$/);
    for (const [repeated, sameId] of [
      [{ ...user, id }, true],
      [user, false],
    ] as const) {
      const outcome = await latchkey.client.createUser(repeated);
      expect(!outcome.ok && outcome.problem.sameId).to.equal(sameId);
    }
  });

  it('names a user by the address, the id or a unique property in every call', async () => {
    const { client } = latchkey;
    const { id, keys } = await created();
    for (const [name, key] of keys) {
      const given = { ...key, password };
      const read = await client.getUser({ ...given, settled: true });
      expect(read.ok && read.user.id, name).to.equal(id);
      const properties = { username: `Jane-${count}` };
      const update = { id, email: { address: `keys-${count}@example.com` }, ...properties };
      expect(codeOf(await client.updateUser(given, update)), name).to.equal('none');
      expect(codeOf(await client.patchUser(given, { plan: name })), name).to.equal('none');
      expect(codeOf(await client.patchUser(given, { id: 'another' })), name).to.equal('id_immutable');
      expect(codeOf(await client.checkPassword(given)), name).to.equal('none');
      const sent = await client.sendVerification(given);
      const token = String(sent.ok && sent.user.email.verificationToken);
      expect(codeOf(await client.confirmVerification({ ...key, token })), name).to.equal('none');
      expect(codeOf(await client.resetVerification(given)), name).to.equal('none');
      const issued = await client.requestRecovery(key);
      const recovery = { ...given, token: String(issued.ok && issued.issued?.token) };
      expect(codeOf(await client.confirmRecovery(recovery)), name).to.equal('none');
    }
    for (const [name, key] of [keys[0], keys[2]].flatMap((one) => (one === undefined ? [] : [one]))) {
      expect(codeOf(await client.deleteUser({ ...key, password })), name).to.equal('none');
      expect(codeOf(await client.deleteUser({ ...key, password })), name).to.equal('user_not_found');
      expect(
        codeOf(
          await client.createUser({
            id,
            email: { address: `keys-${count}@example.com` },
            password,
            username: `Jane-${count}`,
          }),
        ),
      ).to.equal('none');
    }
  });

  it('gets 400 for several unique properties', async () => {
    const { client } = latchkey;
    const { id, email } = await created();
    const user = { unique: { username: 'jane', id } };
    expect(codeOf(await client.getUser({ ...user, password }))).to.equal('invalid_parameter');
    expect(codeOf(await client.checkPassword({ ...user, password }))).to.equal('invalid_body');
    // @ts-expect-error exactly one of them
    expect(codeOf(await client.getUser({ email, id, password }))).to.equal('invalid_parameter');
    // @ts-expect-error exactly one of them
    expect(codeOf(await client.getUser({ password }))).to.equal('invalid_parameter');
  });
});
