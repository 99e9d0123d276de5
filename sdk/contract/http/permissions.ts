import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { adminPermissions, clientPermissions } from '../../../adapters/http/authentication/permissions.ts';
import { type Account, basic, Client, newAddress, type Sent } from './client.ts';
import type { Harness } from './harness.ts';
import { exchange, requestText, responsesIn } from './socket.ts';

const secretOf = (application: string): string => `a secret of ${application}: 5b1d0e93`;

const key = (application: string, may?: readonly string[]) => ({
  application,
  secret: secretOf(application),
  ...(may && { may }),
});

const basicOf = (application: string): string => basic(application, secretOf(application));

/** For each permission one key that has it only, and one that has all others; and one key that may do everything. */
const keysOf = (permissions: readonly string[], team = '') => [
  key(`${team}everything`),
  ...permissions.flatMap((name) => [
    key(`${team}only ${name}`, [name]),
    key(
      `${team}not ${name}`,
      permissions.filter((other) => other !== name),
    ),
  ]),
];

const hmacSecret = secretOf('the issuer of tokens');
const scopePrefix = 'accounts:';
const oauth = { type: 'oauth', issuer: 'the issuer', hmacSecret, scopePrefix };
const basicKeys = { type: 'basic', keys: keysOf(clientPermissions) };
const admin = { keys: keysOf(adminPermissions, 'support ') };

const tokenWith = (scope?: unknown): string => `Bearer ${jwt.sign({ iss: 'the issuer', scope }, hmacSecret)}`;
const scoped = (permissions: readonly string[]) => permissions.map((name) => scopePrefix + name);

/** Credentials with some permissions, or some words about them. */
interface Credentials {
  readonly everything: string;
  only(permission: string): string;
  not(permission: string): string;
  /** The challenge of a request that lacks a permission. */
  challenge(permission: string): string | null;
}

const withKeys = (team = ''): Credentials => ({
  everything: basicOf(`${team}everything`),
  only: (permission) => basicOf(`${team}only ${permission}`),
  not: (permission) => basicOf(`${team}not ${permission}`),
  challenge: () => null,
});

const ofKeys = withKeys();
const ofAdministrators = withKeys('support ');

const ofTokens: Credentials = {
  everything: tokenWith(scoped(clientPermissions).join(' ')),
  only: (permission) => tokenWith(['openid', ...scoped([permission])]),
  not: (permission) =>
    tokenWith(`openid ${permission} ${scoped(clientPermissions.filter((name) => name !== permission)).join(' ')}`),
  // RFC 6750, section 3.1.
  challenge: (permission) => `Bearer realm="latchkey", error="insufficient_scope", scope="${scopePrefix}${permission}"`,
};

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly permission: string;
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly examples: Readonly<Record<string, { value: object }>> }>>;
  };
}

/** The operations that the OpenAPI document at a URL protects. */
const protectedOperations = async (url: string, authorization: string): Promise<readonly Operation[]> => {
  const { paths } = Object(await (await fetch(url, { headers: { Authorization: authorization } })).json());
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(Object(operations)).flatMap(([method, operation]) => {
      const { security, ...others } = Object(operation);
      if (security.length === 0) return [];
      const [permission] = Object.values<readonly string[]>(security[0]).flat();
      return { ...others, path, method: method.toUpperCase(), permission: permission?.replace(scopePrefix, '') };
    }),
  );
};

/** The request of an operation about a user, from the examples of the document. A new user gets `created`. */
const requestOf = (
  { operationId, path, parameters = [], requestBody }: Operation,
  { address, password }: Account,
  created: string,
): Sent & { readonly path: string } => {
  const [content] = Object.values(requestBody?.content ?? {});
  const example = content && Object(Object.values(content.examples)[0]?.value);
  const named = operationId === 'createUser' ? created : address;
  return {
    path: path.replace('{address}', encodeURIComponent(address)).replace('{id}', 'none'),
    password,
    ...(parameters.some(({ name }) => name === 'email') && { query: { email: address } }),
    ...(example && {
      body: {
        ...example,
        ...('email' in example && { email: { address: named } }),
        ...(operationId === 'checkPassword' && { password }),
      },
    }),
  };
};

/** Calls every operation of a document without its permission, with it only, and with all of them. */
const callEvery = async (
  target: Client,
  operations: readonly Operation[],
  credentials: Credentials,
  clients: Client,
): Promise<void> => {
  const properties = { plan: 'trial' };
  for (const operation of operations) {
    const { method, permission, operationId } = operation;
    const account = await clients.create({ properties });
    const before = await clients.read(account);
    const [created, other] = [newAddress(), newAddress()];
    const { path, ...sent } = requestOf(operation, account, created);
    const refused = await target.send(method, path, { ...sent, authorization: credentials.not(permission) });
    expect(refused.problem, operationId).to.include({ status: 403, code: 'not_permitted', permission });
    expect(refused.headers.get('www-authenticate'), operationId).to.equal(credentials.challenge(permission));
    expect((await clients.read(account)).text, operationId).to.equal(before.text);
    const unknown = await clients.get('/users', { query: { email: created }, password: 'any' });
    expect(unknown.refusal, operationId).to.equal('404 user_not_found');
    const permitted = await target.send(method, path, { ...sent, authorization: credentials.only(permission) });
    const equal = await clients.create({ properties });
    const { path: pathOfEqual, ...sentOfEqual } = requestOf(operation, equal, other);
    const expected = await target.send(method, pathOfEqual, {
      ...sentOfEqual,
      authorization: credentials.everything,
    });
    const outcomes = [permitted, expected].map((one) => (one.status < 400 ? String(one.status) : one.refusal));
    expect(outcomes[0], operationId).to.equal(outcomes[1]);
    expect(outcomes[0], operationId).to.match(/^2|^400 token_mismatch$|^404 mail_not_found$|^501 users_not_listed$/);
  }
};

const clientOf = (harness: Harness, url: string, authorization: string): Client =>
  new Client(url, authorization, harness.leakDetector);

/** What the keys and tokens of clients and administrators may do (docs/configuration.md, `auth.keys` and `admin.keys`). */
export const permissions = (harness: Harness): void => {
  const passwordHash = { algorithm: 'sha256', serverSideHash: true };
  const services = {
    'a key': async () => ({
      ...(await harness.service({ auth: basicKeys, admin, passwordHash, recovery: { deliver: 'caller' } })),
      credentials: ofKeys,
      needed: ['issue-token', 'recover'],
    }),
    'a token': async () => {
      const mails = harness.lacks('events') ? {} : { recovery: {}, email: await harness.queuedEmail() };
      const service = await harness.service({ auth: oauth, admin, passwordHash, ...mails });
      return { ...service, credentials: ofTokens, needed: harness.lacks('events') ? [] : ['recover'] };
    },
  };

  describe('permissions', () => {
    for (const [name, open] of Object.entries(services))
      it(`every operation of the document refuses ${name} that lacks its permission only, and needs no other`, async () => {
        const { url, credentials, needed } = await open();
        const client = clientOf(harness, url, credentials.everything);
        const operations = await protectedOperations(`${url}/openapi.json`, credentials.everything);
        const named = new Set(operations.map(({ permission }) => permission));
        expect([...named].toSorted()).to.deep.equal(
          ['check', 'create', 'delete', 'read', 'update', 'verify', ...needed].toSorted(),
        );
        await callEvery(client, operations, credentials, client);
      });

    it('every operation of the administration refuses a key that lacks its permission only, and needs no other', async () => {
      const { url, adminUrl } = await services['a key']();
      const root = clientOf(harness, adminUrl, ofAdministrators.everything);
      const operations = await protectedOperations(`${adminUrl}/admin/openapi.json`, ofAdministrators.everything);
      const named = new Set(operations.map(({ permission }) => permission));
      expect([...named].toSorted()).to.deep.equal(adminPermissions.toSorted());
      await callEvery(root, operations, ofAdministrators, clientOf(harness, url, ofKeys.everything));
    });

    it('a token without a scope of the service may do nothing', async () => {
      const { client } = await services['a token']();
      for (const scope of [undefined, '', 'read', 'accounts:', 'accounts:fly', ['accounts'], 7, { read: true }]) {
        const sent = { query: { email: newAddress() }, password: 'any', authorization: tokenWith(scope) };
        const { problem } = await client.get('/users', sent);
        expect(problem, String(scope)).to.include({ code: 'not_permitted', permission: 'read' });
      }
    });

    it('403 before the body arrives', async () => {
      const { url } = await services['a key']();
      for (const framing of ['Content-Length: 1000', 'Transfer-Encoding: chunked']) {
        const head = ['POST /users HTTP/1.1', 'Host: a', `Authorization: ${ofKeys.not('create')}`];
        const [response] = responsesIn(
          await exchange(url, requestText([...head, 'Content-Type: application/json', framing])),
        );
        expect(response?.refusal).to.equal('403 not_permitted');
      }
    });
  });
};
