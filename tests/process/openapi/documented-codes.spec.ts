import { expect } from 'chai';
import { problems } from '../../../adapters/http/api/problems.ts';
import { adminPermissions, clientPermissions } from '../../../adapters/http/authentication/permissions.ts';
import { administrator, configurations } from './configurations.ts';
import { type Document, describedService } from './described-service.ts';

const headers = { Authorization: `Basic ${btoa(`${administrator.application}:${administrator.secret}`)}` };

/** The documents of the service and of its administration. */
const documentsOf = async (blocks: Readonly<Record<string, unknown>>): Promise<readonly [Document, Document]> => {
  const { document, serving, installation } = await describedService(blocks);
  const administration = await fetch(`${serving.adminUrl}/admin/openapi.json`, { headers });
  const documents = [document, JSON.parse(await administration.text())] as const;
  await installation.dispose();
  return documents;
};

/** The documented problem codes of each operation. */
const codesIn = ({ paths }: Document): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { responses }]) => [
        `${method.toUpperCase()} ${path}`,
        Object.values(responses).flatMap(({ content = {} }) =>
          Object.keys(content['application/problem+json']?.examples ?? {}),
        ),
      ]),
    ),
  );

const writes = ['POST /users', 'PUT /users', 'PATCH /users'];
const withHeader = ['PUT /users', 'PATCH /users', 'GET /users', 'DELETE /users', 'POST /verify', 'POST /verify/reset'];
const withPassword = [...withHeader, 'POST /users/check'];
const recoveries = ['POST /recovery', 'POST /recovery/confirm'];
const ofLinks = ['GET /change', 'POST /change/confirm', 'GET /change/cancel', 'POST /change/cancel'];
const withClient = ['POST /users', ...withPassword, ...recoveries];

/** Codes that depend on options, and the operations that have them with any. */
const conditional: Readonly<Record<string, readonly string[]>> = {
  mail_failed: ['POST /verify'],
  invalid_properties: writes,
  weak_password: [...writes, 'POST /recovery/confirm'],
  wrong_password: withPassword,
  user_not_found: [...withPassword, 'GET /verify'],
  too_many_attempts: [...withPassword, 'POST /recovery/confirm'],
  resend_too_soon: ['PUT /users', 'PATCH /users', 'POST /verify'],
  token_expired: ['GET /verify', 'GET /recovery', 'POST /recovery/confirm', ...ofLinks],
  token_mismatch: ['GET /verify', 'GET /recovery', 'POST /recovery/confirm', ...ofLinks],
  address_taken: ['PUT /users', 'PATCH /users', 'POST /change/confirm'],
  stale_user: ['PUT /users', 'PATCH /users', 'DELETE /users', 'POST /verify', 'GET /verify', 'POST /verify/reset'],
  // Bodies share a limit of memory, and passwords one of checks.
  overloaded: [...withClient],
  store_unavailable: [...withClient, 'GET /verify', 'GET /recovery', ...ofLinks],
  keys_unavailable: withClient,
  id_taken: writes,
  id_immutable: ['PUT /users', 'PATCH /users'],
  property_taken: writes,
  not_permitted: withClient,
};

/** Those of the rules for sign-up, and of invitations, which only documents with these features have. */
const ofFeatures = /^(?:domain_not_allowed|mailbox_taken|not_invited)$/;

const administered: Readonly<Record<string, readonly string[]>> = {
  weak_password: ['PUT /admin/users/{address}/password'],
  invalid_properties: ['PATCH /admin/users/{address}'],
  property_taken: ['PATCH /admin/users/{address}'],
  users_not_listed: ['GET /admin/users'],
  users_not_sorted: ['GET /admin/users'],
};

describe('the documented failures', () => {
  let complete: readonly [Document, Document];
  before(async () => {
    const { users, properties } = configurations['ids, unique properties and a subset of properties'];
    // Keys that may do everything that can be refused to others.
    const limits = { properties: { write: [] }, may: [...clientPermissions] };
    complete = await documentsOf({
      ...configurations['every feature'],
      users,
      properties,
      auth: { type: 'basic', keys: [{ application: 'shop', secret: 'of the online shop', ...limits }] },
      admin: { keys: [{ ...administrator, may: [...adminPermissions] }] },
    });
  });

  const operationsWith = (document: Document, code: string): readonly string[] =>
    Object.entries(codesIn(document)).flatMap(([operation, codes]) => (codes.includes(code) ? [operation] : []));

  it('are those of the operations', () => {
    const [service, administration] = complete;
    for (const [code, operations] of Object.entries(conditional))
      expect(operationsWith(service, code), code).to.have.members([...operations]);
    for (const [code, operations] of Object.entries(administered))
      expect(operationsWith(administration, code), code).to.include.members([...operations]);
    for (const { components } of complete)
      expect(components.schemas?.ProblemCode)
        .to.have.property('enum')
        .that.has.members(Object.keys(problems).filter((code) => !ofFeatures.test(code)));
  });

  const others: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    ...configurations,
    'hidden unknown users': { admin: { keys: [administrator] }, privacy: { hideUnknownUsers: true } },
    'queued mails': {
      admin: { keys: [administrator] },
      email: { type: 'outbox', directory: 'mails', queue: true, resendInterval: '60s' },
    },
    'tokens of an issuer': {
      admin: { keys: [administrator] },
      auth: { type: 'oauth', issuer: 'https://login.example.com/', jwksUrl: 'http://127.0.0.1:1/keys' },
    },
  };
  it('are without those of ids, unique properties and permissions where there are none', async () => {
    for (const { components } of await documentsOf(configurations['every feature'])) {
      const { enum: known } = Object(components.schemas?.ProblemCode);
      const codes = Object.keys(problems).filter(
        (code) => !/^(?:id|property)_|^not_permitted$/.test(code) && !ofFeatures.test(code),
      );
      expect(known).to.have.members(codes);
    }
  });

  for (const [name, blocks] of Object.entries(others))
    it(`are the same with ${name}`, async () => {
      for (const [index, document] of (await documentsOf(blocks)).entries()) {
        const codes = codesIn(complete[index] ?? expect.fail());
        // Without the codes of ids and unique properties, where users have neither.
        const { enum: known } = Object(document.components.schemas?.ProblemCode);
        // With `deliver: caller` the response has the token, so that it depends on the user.
        for (const [operation, found] of Object.entries(codesIn(document)))
          if (operation !== 'POST /recovery')
            expect(found, operation).to.deep.equal(codes[operation]?.filter((code) => known.includes(code)));
      }
    });
});
