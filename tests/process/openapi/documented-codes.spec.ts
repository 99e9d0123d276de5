import { expect } from 'chai';
import { eachWithInstallation } from '../installation.ts';
import { type Document, describedService } from './described-service.ts';

const outbox = { type: 'outbox', directory: 'mails', fromAddress: 'no-reply@example.com' };
const server = { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'https://users.example.com' };
const passwordHash = { serverSideHash: true };
const properties = { allowed: [{ name: 'visits', type: 'integer' }] };

/** The problem codes that are documented for an operation. */
const codesOf = (responses: Document['paths'][string][string]['responses']): readonly string[] =>
  Object.values(responses).flatMap(({ content = {} }) =>
    Object.keys(content['application/problem+json']?.examples ?? {}),
  );

/** The operations for which a problem code is documented. */
const operationsWith = (document: Document, code: string): readonly string[] =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { responses }]) => codesOf(responses).includes(code))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );

const writes = ['POST /users', 'PUT /users', 'PATCH /users'];
const withHeader = ['PUT /users', 'PATCH /users', 'GET /users', 'DELETE /users', 'POST /verify', 'POST /verify/reset'];
const withPassword = [...withHeader, 'POST /users/check'];
const ofLinks = ['GET /change', 'POST /change/confirm', 'GET /change/cancel', 'POST /change/cancel'];

/** Configurations, and the operations for which they rule a failure out or make it possible. */
const configurations: readonly {
  readonly name: string;
  readonly blocks: object;
  readonly operations: Readonly<Record<string, readonly string[]>>;
}[] = [
  {
    name: 'no further options',
    blocks: {},
    operations: {
      mail_failed: ['POST /verify'],
      invalid_properties: [],
      weak_password: [],
      too_many_attempts: [],
      resend_too_soon: [],
      token_expired: [],
      keys_unavailable: [],
      wrong_password: withPassword,
      user_not_found: [...withPassword, 'GET /verify'],
      stale_user: ['PUT /users', 'PATCH /users', 'DELETE /users', 'POST /verify', 'GET /verify', 'POST /verify/reset'],
    },
  },
  {
    name: 'rules, a throttle, queued mails, an interval and a lifetime',
    blocks: {
      properties,
      passwordHash,
      passwordRules: {},
      throttle: {},
      email: { ...outbox, queue: true, resendInterval: '60s', tokenLifetime: '1h' },
    },
    operations: {
      mail_failed: [],
      invalid_properties: writes,
      weak_password: writes,
      too_many_attempts: withPassword,
      overloaded: [...writes, ...withPassword],
      resend_too_soon: ['POST /verify'],
      token_expired: ['GET /verify'],
    },
  },
  {
    name: 'passwords that only POST /users/check checks, and hashes of clients',
    blocks: { passwordHash: { headerCheck: false, serverSideHash: false }, throttle: {} },
    operations: {
      wrong_password: ['POST /users/check'],
      too_many_attempts: ['POST /users/check'],
      // Bodies share a limit of memory, and settled reads are limited.
      overloaded: ['POST /users', 'PUT /users', 'PATCH /users', 'GET /users', 'POST /users/check'],
    },
  },
  {
    name: 'hidden unknown users',
    blocks: { privacy: { hideUnknownUsers: true } },
    operations: { user_not_found: [], wrong_password: withPassword },
  },
  {
    name: 'recovery',
    blocks: { server, passwordHash, recovery: {}, email: outbox },
    operations: {
      mail_failed: ['POST /verify'],
      store_unavailable: [...writes, ...withPassword, 'GET /verify', 'POST /recovery', 'POST /recovery/confirm'],
      too_many_attempts: ['POST /recovery/confirm'],
      token_expired: ['POST /recovery/confirm'],
      resend_too_soon: [],
      user_not_found: [...withPassword, 'GET /verify'],
    },
  },
  {
    name: 'recovery whose tokens the caller sends',
    blocks: { passwordHash, recovery: { deliver: 'caller' }, passwordRules: {} },
    operations: {
      resend_too_soon: ['POST /recovery'],
      user_not_found: [...withPassword, 'GET /verify', 'POST /recovery'],
      weak_password: [...writes, 'POST /recovery/confirm'],
    },
  },
  {
    name: 'confirmed changes of an address',
    blocks: { server, email: { ...outbox, confirmChange: true, resendInterval: '60s' } },
    operations: {
      mail_failed: ['POST /verify'],
      token_expired: ofLinks,
      token_mismatch: ['GET /verify', ...ofLinks],
      address_taken: ['PUT /users', 'PATCH /users', 'POST /change/confirm'],
      resend_too_soon: ['PUT /users', 'PATCH /users', 'POST /verify'],
      store_unavailable: [...writes, ...withPassword, 'GET /verify', ...ofLinks],
    },
  },
];

describe('the documented failures', () => {
  for (const { name, blocks, operations } of configurations)
    it(`are those that can happen with ${name}`, async () => {
      const { document, installation } = await describedService({ ...blocks });
      await installation.dispose();
      for (const [code, expected] of Object.entries(operations))
        expect(operationsWith(document, code), code).to.have.members([...new Set(expected)]);
    });
});

describe('the documented failures of the administration', () => {
  const installation = eachWithInstallation();
  const secret = 'of the support team';
  const documentWith = async (blocks: object): Promise<Document> => {
    await installation().configure({ admin: { keys: [{ application: 'support', secret }] }, ...blocks });
    const { adminUrl } = await installation().serve();
    const Authorization = `Basic ${Buffer.from(`support:${secret}`).toString('base64')}`;
    return JSON.parse(await (await fetch(`${adminUrl}/admin/openapi.json`, { headers: { Authorization } })).text());
  };

  it('leave out rules that are not configured, and what the database can do', async () => {
    const document = await documentWith({});
    for (const code of ['weak_password', 'invalid_properties', 'users_not_listed', 'users_not_sorted', 'mail_failed'])
      expect(operationsWith(document, code), code).to.deep.equal([]);
    expect(operationsWith(document, 'store_unavailable')).to.include('GET /admin/users');
  });

  it('include rules and queued mails that are configured', async () => {
    const document = await documentWith({
      passwordHash,
      passwordRules: {},
      properties,
      email: { ...outbox, queue: true },
    });
    expect(operationsWith(document, 'weak_password')).to.deep.equal(['PUT /admin/users/{address}/password']);
    expect(operationsWith(document, 'invalid_properties')).to.deep.equal(['PATCH /admin/users/{address}']);
    expect(operationsWith(document, 'store_unavailable')).to.include('GET /admin/mails');
  });
});
