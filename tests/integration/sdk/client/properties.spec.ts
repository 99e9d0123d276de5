import { expect } from 'chai';
import {
  createAdminClient,
  createClient,
  type NewUser,
  type Outcome,
  type RevisedUser,
  type UserPatch,
} from '../../../../sdk/client/index.ts';
import { startLatchkey, type TestLatchkey } from '../../../../sdk/testing/index.ts';

interface Customer {
  plan: 'free' | 'pro';
  visits?: number;
  tags?: readonly string[];
  settings?: { theme: string; size?: number };
}

const email = { address: 'jane@example.com' };
const password = 'correct horse';
const jane = { email: email.address, password };

describe('the client with a type of custom properties', () => {
  let latchkey: TestLatchkey;
  const administrator = { application: 'support', secret: 'of the support team' };

  before(async () => {
    latchkey = await startLatchkey({ admin: { keys: [administrator] } });
  });
  after(() => latchkey.stop());

  const open = () => {
    const { url, credentials } = latchkey;
    return createClient<Customer>({ url, ...(credentials && { credentials }) });
  };
  const userOf = (outcome: Outcome<Customer>) => (outcome.ok ? outcome.user : expect.fail(outcome.problem.code));

  it('sends and returns them in every call', async () => {
    const client = open();
    const { plan, settings } = userOf(
      await client.createUser({ email, password, plan: 'free', visits: 3, settings: { theme: 'dark', size: 2 } }),
    );
    const typed: { plan: 'free' | 'pro'; theme: string | undefined } = { plan, theme: settings?.theme };
    expect(typed).to.deep.equal({ plan: 'free', theme: 'dark' });
    const patched = userOf(await client.patchUser(jane, { visits: null, settings: { size: null } }));
    expect(patched.visits).to.equal(undefined);
    expect(patched.settings).to.deep.equal({ theme: 'dark' });
    const tags: readonly string[] | undefined = userOf(
      await client.updateUser(jane, { email, plan: 'pro', tags: ['early'] }),
    ).tags;
    expect(tags).to.deep.equal(['early']);
    expect(userOf(await client.getUser(jane)).plan).to.equal('pro');
    const admin = createAdminClient<Customer>({ url: latchkey.adminUrl, credentials: administrator });
    const listed = await admin.listUsers();
    const plans: readonly ('free' | 'pro')[] = listed.ok ? listed.users.map((user) => user.plan) : [];
    expect(plans).to.deep.equal(['pro']);
    const edited = await admin.editProperties({ email: email.address }, { plan: 'free', tags: null });
    expect(edited.ok && edited.user.plan).to.equal('free');
    expect(userOf(await client.deleteUser(jane)).plan).to.equal('free');
  });

  it('does not compile with others', () => {
    const user: NewUser<Customer> = { email, password, plan: 'free' };
    // @ts-expect-error a required property is missing
    const without: NewUser<Customer> = { email, password };
    // @ts-expect-error not one of the plans
    const other: RevisedUser<Customer> = { email, plan: 'gold' };
    // @ts-expect-error no property of the type
    const unknown: NewUser<Customer> = { email, password, plan: 'free', name: 'Jane' };
    // @ts-expect-error a required property cannot be removed
    const removing: UserPatch<Customer> = { plan: null };
    // @ts-expect-error nor one within another
    const within: UserPatch<Customer> = { settings: { theme: null } };
    // @ts-expect-error lists are replaced as a whole
    const list: UserPatch<Customer> = { tags: [null] };
    const patch: UserPatch<Customer> = { email: { verified: false }, visits: null, settings: { size: 3 } };
    const client = createClient<Customer>({ url: 'http://127.0.0.1:8080' });
    const read = async () => {
      const found = await client.getUser(jane);
      // @ts-expect-error a user may lack it
      const visits: number = found.ok ? found.user.visits : 0;
      // @ts-expect-error no property of the type
      return found.ok ? [visits, found.user.name] : [];
    };
    expect([user, without, other, unknown, removing, within, list, patch, read]).to.have.lengthOf(9);
  });

  it('allows every name without a type, with values that are to be checked', () => {
    const user: NewUser = { email, password, plan: 1, 'anything else': null };
    const patch: UserPatch = { plan: null };
    const client = createClient({ url: 'http://127.0.0.1:8080' });
    const read = async () => {
      const found = await client.getUser(jane);
      // @ts-expect-error unknown
      const plan: string = found.ok ? found.user.plan : '';
      return plan;
    };
    expect([user, patch, read]).to.have.lengthOf(3);
  });
});
