import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Environment } from '../../../support/environment.ts';
import { configured, database, problemsOf, valueAt, withOption } from './read-configuration.ts';

interface Row {
  /**
   * Where the option stands in the file; its value is at the same path of the configuration, unless `at` says another.
   */
  readonly path: string;
  readonly at?: string;
  readonly byDefault: unknown;
  /** Values of the file, with what they decode to. */
  readonly accepts: readonly (readonly [written: unknown, decoded: unknown])[];
  readonly refuses: readonly unknown[];
  /** What the problem says. */
  readonly expected: string;
}

const same = (...values: readonly unknown[]) => values.map((value) => [value, value] as const);
const flags = {
  accepts: [...same(true, false), ['true', true] as const, ['false', false] as const],
  refuses: ['yes', 1, 'TRUE'],
  expected: 'expected true or false',
};
const texts = { accepts: same('some text'), refuses: ['', 12, true, []], expected: 'expected text' };
const ports = {
  accepts: [...same(0, 1, 65_535), ['8443', 8443] as const],
  refuses: [-1, 65_536, 80.5, 'http', true],
  expected: 'expected a whole number from 0 to 65535',
};
const addresses = {
  accepts: [
    ['https://a.example/base/', 'https://a.example/base'],
    ['HTTP://A.example:8080', 'http://a.example:8080'],
  ] as const,
  refuses: [
    'a.example',
    'ftp://a.example',
    'https://a.example/?x=1',
    'https://a.example/#x',
    'https://u:p@a.example',
    'https://',
    7,
  ],
  expected: 'expected an http or https URL without user, query and fragment',
};
const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
);

const rows: readonly Row[] = [
  { path: 'server.host', byDefault: '0.0.0.0', ...texts },
  { path: 'server.port', byDefault: 8080, ...ports },
  { path: 'server.adminHost', byDefault: '127.0.0.1', ...texts },
  { path: 'server.adminPort', byDefault: 8081, ...ports },
  { path: 'server.publicUrl', byDefault: null, ...addresses },
  {
    path: 'server.workers',
    byDefault: 1,
    accepts: [...same(1, 4), ['2', 2] as const],
    refuses: [0, 1.5, 'all'],
    expected: 'expected a whole number from 1 to 1024',
  },
  {
    path: 'server.trustProxy',
    byDefault: false,
    accepts: [[false, false], ['false', false], [true, 1], ['true', 1], ...same(1, 16), ['2', 2]],
    refuses: [0, 17, -1, 1.5, 'yes', '10.0.0.0/8', '', { hops: 1 }],
    expected: 'expected false, true, a number of proxies from 1 to 16, or a list of their networks such as 10.0.0.0/8',
  },
  {
    path: 'logging.level',
    byDefault: 'info',
    accepts: [
      ...same('trace', 'debug', 'warn', 'error', 'fatal', 'silent'),
      ['INFO', 'info'],
      ['OFF', 'silent'],
      ['ALL', 'trace'],
    ],
    refuses: ['verbose', 3, false],
    expected: 'expected one of trace, debug, info, warn, error, fatal, silent',
  },
  {
    path: 'logging.requests',
    byDefault: 'failed',
    accepts: same('all', 'none'),
    refuses: ['some', true],
    expected: 'expected one of failed, all, none',
  },
  {
    path: 'email.verificationOnUpdate',
    at: 'verification.verificationOnUpdate',
    byDefault: 'body',
    accepts: same('server', 'body'),
    refuses: ['client'],
    expected: 'expected one of body, server',
  },
  {
    path: 'passwordHash.algorithm',
    byDefault: 'simple',
    accepts: [...same('sha256', 'bcrypt', 'argon2'), ['argon', 'argon2']],
    refuses: ['md5', 'none', 1],
    expected: 'expected one of simple, sha256, bcrypt, argon2, module',
  },
  { path: 'passwordHash.serverSideHash', byDefault: false, ...flags },
  { path: 'passwordHash.headerCheck', byDefault: true, ...flags },
  { path: 'passwordHash.allowCommonMistakes', byDefault: false, ...flags },
  {
    path: 'secrets.provider',
    byDefault: 'env',
    accepts: same('env'),
    refuses: ['vault', 1],
    expected: 'expected one of env, secretsmanager, module',
  },
  {
    path: 'operationTimeout',
    at: 'operationTimeoutMs',
    byDefault: 30_000,
    accepts: [
      ['500ms', 500],
      ['30s', 30_000],
      ['2m', 120_000],
      ['1h', 3_600_000],
      [{ operationTimeout: '5s' }, 5000],
    ],
    refuses: [30, 'soon', '0s', '25d', true, []],
    expected: 'expected a duration such as 500ms, 30s, 2m or 1h',
  },
  {
    path: 'options.operationTimeout',
    at: 'operationTimeoutMs',
    byDefault: 30_000,
    accepts: [['5s', 5000]],
    refuses: [30, 'soon'],
    expected: 'expected a duration such as 500ms, 30s, 2m or 1h',
  },
  { path: 'openApi.enabled', byDefault: true, ...flags },
  { path: 'openApi.title', byDefault: 'Latchkey API', ...texts },
  { path: 'openApi.version', byDefault: version, ...texts },
  {
    path: 'openApi.description',
    byDefault: 'A fully customizable user management REST API',
    accepts: same('', 'x'),
    refuses: [1],
    expected: 'expected text',
  },
  { path: 'openApi.contact', byDefault: null, ...texts },
  {
    path: 'openApi.contactEmail',
    byDefault: null,
    accepts: same('a@example.com'),
    refuses: ['a', 1],
    expected: 'must be a valid email address',
  },
  { path: 'openApi.license', byDefault: 'MIT', ...texts },
  { path: 'openApi.licenseUrl', byDefault: 'https://spdx.org/licenses/MIT.html', ...addresses },
];

describe('options of the configuration file', () => {
  for (const { path, at = path, byDefault, accepts, refuses, expected } of rows) {
    describe(path, () => {
      it(`is ${JSON.stringify(byDefault)} by default`, async () => {
        for (const file of [database, withOption(path, null)]) {
          expect(valueAt(await configured(file), at)).to.equal(byDefault);
        }
      });

      it(`accepts ${accepts.map(([written]) => JSON.stringify(written)).join(', ')}`, async () => {
        for (const [written, decoded] of accepts) {
          expect(valueAt(await configured(withOption(path, written)), at), JSON.stringify(written)).to.equal(decoded);
        }
      });

      it(`refuses ${refuses.map((value) => JSON.stringify(value)).join(', ')}`, async () => {
        for (const value of refuses) {
          const problems = await problemsOf(withOption(path, value));
          expect(problems, JSON.stringify(value)).to.have.lengthOf(1);
          expect(problems[0]).to.satisfy((line: string) => line.startsWith(`${path}: ${expected}`), problems[0]);
        }
      });
    });
  }

  it('leaves out properties, email and auth by default', async () => {
    expect(await configured(database)).to.not.have.any.keys('properties', 'email', 'auth');
    expect(await configured(`${database}\nproperties:\nemail: null\nauth: ~`)).to.not.have.any.keys(
      'properties',
      'email',
      'auth',
    );
  });

  it('decodes the rules of properties', async () => {
    const file = `${database}\nproperties: {allowSubset: false, allowed: [{name: age, type: integer}, {name: x, type: whatever}]}`;

    expect((await configured(file)).properties).to.eql({
      allowSubset: false,
      allowSuperset: true,
      allowed: [
        { name: 'age', type: 'integer', unique: false, fold: 'exact' },
        { name: 'x', type: 'whatever', unique: false, fold: 'exact' },
      ],
    });
    expect((await configured(`${database}\nproperties: {}`)).properties).to.eql({
      allowSubset: true,
      allowSuperset: true,
      allowed: [],
    });
    expect(await problemsOf(`${database}\nproperties: {allowSuperset: 1, allowed: [{name: age}, {type: map}]}`)).to.eql(
      [
        'properties.allowSuperset: expected true or false',
        'properties.allowed[0].type: is required: text (in quotes if it looks like a number)',
        'properties.allowed[1].name: is required: text (in quotes if it looks like a number)',
      ],
    );
  });

  it('refuses two different timeouts', async () => {
    expect(
      (await configured(`${database}\noperationTimeout: 60s\noptions: {operationTimeout: 1m}`)).operationTimeoutMs,
    ).to.equal(60_000);
    expect(await problemsOf(`${database}\noperationTimeout: 3s\noptions: {operationTimeout: 1m}`)).to.eql([
      'operationTimeout: differs from options.operationTimeout; keep one of them',
    ]);
  });

  it('refuses origins that browsers never send', async () => {
    for (const origin of ['app.example.com', 'https://app.example.com/', 'https://*.example.com', 'null']) {
      expect(await problemsOf(`${database}\nserver: {cors: {origins: ['${origin}']}}`)).to.eql([
        'server.cors.origins[0]: expected an origin such as https://app.example.com, or "*" for every origin',
      ]);
    }
  });

  it('accepts addresses and networks of proxies, and refuses large networks and other text', async () => {
    const networks = ['10.0.0.5', '10.0.0.0/8', '2001:db8::/32', '::1', '::ffff:10.0.0.0/104'];
    const trusting = (value: unknown): string => withOption('server.trustProxy', value);
    expect((await configured(trusting(networks))).server.trustProxy).to.eql(networks);
    expect(await problemsOf(trusting([]))).to.eql(['server.trustProxy: is empty; write false to trust no proxy']);
    for (const wrong of [
      'proxy',
      '10.0.0.0/33',
      '0.0.0.0/1',
      '::/1',
      '::1/8',
      '::ffff:10.0.0.0/8',
      '::ffff:0.0.0.0/96',
      '10.0.0.0/0',
      '::/0',
      '10.0.0.0/',
      '10.0/8',
      '2001:db8::/129',
      'fe80::1%a',
    ])
      expect(await problemsOf(trusting(['10.0.0.5', wrong])), wrong).to.eql([
        'server.trustProxy[1]: expected the address or the network of a proxy, such as 10.0.0.5 or 10.0.0.0/8',
      ]);
  });

  it('accepts host names for the admin port, and refuses other text', async () => {
    const names = ['latchkey', 'latchkey.ns.svc.cluster.local', 'project_latchkey_1', '127.0.0.1'];
    expect((await configured(`${database}\nserver: {adminHosts: ${JSON.stringify(names)}}`)).server.adminHosts).to.eql(
      names,
    );
    expect((await configured(database)).server.adminHosts).to.eql([]);
    for (const name of ['http://latchkey', 'latchkey:8081', '*.example.com', 'a..b', '.', 'a b']) {
      expect(await problemsOf(`${database}\nserver: {adminHosts: ['${name}']}`)).to.eql([
        'server.adminHosts[0]: expected a host name without scheme and port, such as latchkey.example.com',
      ]);
    }
  });

  describe('the environment variable PORT', () => {
    const environment = new Environment();
    beforeEach(() => environment.set('PORT', '9000'));
    afterEach(() => environment.restore());

    it('is the port of the service if the file has none', async () => {
      for (const server of ['', 'server: {}', 'server: {adminPort: 9001}'])
        expect((await configured(`${database}\n${server}`)).server.port).to.equal(9000);
      environment.set('PORT', '');
      expect((await configured(database)).server.port).to.equal(8080);
    });

    it('has no effect if the file has a port', async () => {
      for (const server of ['port: 0', 'applicationConnectors: [{type: http, port: 0}]'])
        expect((await configured(`${database}\nserver: {${server}}`)).server.port).to.equal(0);
    });

    it('is checked like the option', async () => {
      expect(await problemsOf(`${database}\nserver: {adminPort: 9000}`)).to.eql([
        'server.adminPort: is the port of the service; write another one',
      ]);
      environment.set('PORT', 'tcp://10.0.0.1:80');
      expect(await problemsOf(`${database}\nserver: {workers: 0}`)).to.eql([
        'server.workers: expected a whole number from 1 to 1024',
        'server.port: the environment variable PORT: expected a whole number from 0 to 65535',
      ]);
    });
  });

  it('refuses an admin port that is the port of the service', async () => {
    expect(await problemsOf(`${database}\nserver: {port: 9000, adminPort: 9000}`)).to.eql([
      'server.adminPort: is the port of the service; write another one',
    ]);
    expect((await configured(`${database}\nserver: {port: 0, adminPort: 0}`)).server).to.include({
      port: 0,
      adminPort: 0,
    });
  });
});
