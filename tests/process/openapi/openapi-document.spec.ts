import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { parse } from 'yaml';
import { type Content, type Document, describedService, withDescribedService } from './described-service.ts';

// The statuses of each endpoint (docs/api.md); POST /users/check has those of GET /users.
const statuses = {
  'POST /users': [201, 400, 409, 500, 503],
  'PUT /users': [200, 400, 401, 404, 409, 500, 503],
  'PATCH /users': [200, 400, 401, 404, 409, 413, 415, 500, 503],
  'GET /users': [200, 400, 401, 404, 503],
  'DELETE /users': [200, 400, 401, 404, 503],
  'POST /users/check': [204, 400, 401, 404, 503],
  'POST /verify': [200, 400, 401, 404, 500, 503],
  'GET /verify': [200, 303, 400, 404, 500, 503],
  'POST /verify/reset': [200, 400, 401, 404, 500, 503],
  'GET /verify/success': [200],
};

const examplesOf = ({ example, examples = {} }: Content): readonly unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

describe('the OpenAPI document', () => {
  const service = withDescribedService();

  it('conforms to the schema of OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone({ ...service().document }));
    expect(errors ?? []).to.deep.equal([]);
    expect(valid).to.equal(true);
    expect(validator.version).to.equal('3.1');
  });

  it('is served as JSON and as YAML with equal content', async () => {
    const json = await fetch(`${service().url}/openapi.json`);
    expect(json.headers.get('content-type')).to.equal('application/json');
    const yaml = await fetch(`${service().url}/openapi.yaml`);
    expect(yaml.headers.get('content-type')).to.match(/^application\/yaml/);
    expect(parse(await yaml.text())).to.deep.equal(await json.json());
  });

  it('contains exactly the endpoints that every configuration with mails has', () => {
    const endpoints = Object.entries(service().document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(endpoints).to.have.members(Object.keys(statuses));
  });

  for (const [endpoint, expected] of Object.entries(statuses)) {
    it(`declares every status of ${endpoint}`, () => {
      const [method = '', path = ''] = endpoint.split(' ');
      const responses = service().document.paths[path]?.[method.toLowerCase()]?.responses ?? {};
      expect(Object.keys(responses).map(Number)).to.include.members(expected);
    });
  }

  it('has an example of every JSON body and required parameter that conforms to its schema', () => {
    const { document, judge } = service();
    for (const operation of Object.values(document.paths).flatMap(
      Object.values<(typeof document.paths)[string][string]>,
    )) {
      for (const { name, required, schema, example } of operation.parameters ?? []) {
        // Swagger UI would send the example of an optional parameter.
        if (required) expect(judge(schema, example), name).to.deep.equal([]);
        else expect(example, name).to.equal(undefined);
      }
      const bodies = [operation.requestBody, ...Object.values(operation.responses)].flatMap((body) =>
        Object.entries(body?.content ?? {}),
      );
      for (const [type, content] of bodies.filter(([type]) => type !== 'text/html')) {
        expect(examplesOf(content), type).not.to.deep.equal([]);
        for (const example of examplesOf(content)) expect(judge(content.schema, example), type).to.deep.equal([]);
      }
    }
  });

  it('has schemas that refuse what the service refuses', () => {
    const { document, judge } = service();
    const schema = document.paths['/users']?.post?.requestBody?.content['application/json']?.schema;
    for (const body of [
      {},
      { email: { address: 'jane@example.com' } },
      { email: { address: 'jane@example.com' }, password: '' },
      { email: { address: 'jane@example.com', primary: true }, password: 'x' },
      { email: 'jane@example.com', password: 'x' },
    ])
      expect(judge(schema, body)).not.to.deep.equal([]);
  });

  it('refers to schemas by name, after which generators of clients name types', () => {
    const { document } = service();
    const bodies = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { requestBody }]) =>
        Object.values(requestBody?.content ?? {}).map(({ schema }) => [`${method} ${path}`, schema]),
      ),
    );
    const named = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    expect(bodies).to.deep.equal([
      ['post /users', named('NewUser')],
      ['put /users', named('UserUpdate')],
      ['patch /users', named('UserPatch')],
      ['patch /users', named('UserPatch')],
      ['post /users/check', named('PasswordCheck')],
    ]);
    expect(document.servers.map(({ url }) => url)).to.deep.equal(['/']);
  });

  it('says that passwords and tokens are not empty', () => {
    const operations = Object.values(service().document.paths).flatMap((path) => Object.values(path));
    const secrets = operations
      .flatMap(({ parameters = [] }) => parameters)
      .filter(({ name }) => name === 'password' || name === 'token');
    expect(secrets.length).to.be.greaterThan(5);
    for (const { schema } of secrets) expect(schema.minLength).to.equal(1);
  });

  it('requires authentication on exactly the routes that need it', () => {
    const open = Object.entries(service().document.paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, { security }]) => security.length === 0)
        .map(([method]) => `${method} ${path}`),
    );
    expect(open).to.have.members(['get /verify', 'get /verify/success']);
  });
});

describe('the OpenAPI document of a configuration', () => {
  const infoOf = async (blocks: Readonly<Record<string, unknown>>) => {
    const service = await describedService(blocks);
    await service.installation.dispose();
    return service.document;
  };

  it('says which bodies cannot set the verification of a user', async () => {
    const ignoring = ({ paths }: Document) =>
      Object.entries(paths['/users'] ?? {})
        .filter(([, { requestBody }]) =>
          /`email\.verified` and `email\.verificationToken` are ignored/.test(requestBody?.description ?? ''),
        )
        .map(([method]) => method);
    expect(ignoring(await infoOf({}))).to.deep.equal(['post']);
    const email = { type: 'outbox', directory: 'outbox', verificationOnUpdate: 'server' };
    expect(ignoring(await infoOf({ email }))).to.deep.equal(['post', 'put', 'patch']);
  });

  it('shows every option of openApi, the public address and the kind of authentication', async () => {
    const { info, servers, components } = await infoOf({
      server: { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'https://accounts.example.com/v1' },
      auth: { type: 'oauth', issuer: 'us', hmacSecret: 'a secret of at least thirty-two bytes' },
      openApi: {
        title: 'Accounts',
        version: '7.1',
        description: 'Ours',
        contact: 'Jane',
        contactEmail: 'jane@example.com',
        license: 'Apache-2.0',
        licenseUrl: 'https://example.com/license',
      },
    });
    expect(info).to.deep.equal({
      title: 'Accounts',
      version: '7.1',
      description: 'Ours',
      contact: { name: 'Jane', email: 'jane@example.com' },
      license: { name: 'Apache-2.0', url: 'https://example.com/license' },
    });
    expect(servers.map(({ url }) => url)).to.deep.equal(['https://accounts.example.com/v1', '/']);
    expect(components.securitySchemes).to.have.keys('oauth');
  });

  it('omits the verification without mails, and everything else that is not configured', async () => {
    const { info, paths, components } = await infoOf({ email: { type: 'none' }, auth: undefined });
    expect(Object.keys(paths)).to.deep.equal(['/users', '/users/check']);
    expect(info).to.include({ title: 'Latchkey API', description: 'A fully customizable user management REST API' });
    expect(info).not.to.have.property('contact');
    expect(info.license).to.include({ name: 'MIT' });
    expect(components).not.to.have.property('securitySchemes');
  });
});
