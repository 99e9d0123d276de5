import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { CallersProject } from './published.ts';

const start = `
  const { startLatchkey } = await import('latchkey/testing');
  const latchkey = await startLatchkey();
  await latchkey.stop();`;

const use = `
import { createClient, type Outcome, type ProblemCode, type User } from 'latchkey/client';
import { startLatchkey, type LatchkeyConfiguration } from 'latchkey/testing';
import { LatchkeyContainer } from 'latchkey/testing/container';

const configuration: LatchkeyConfiguration = { passwordHash: { algorithm: 'argon2' }, operationTimeout: '5s' };
const { url, credentials } = await startLatchkey(configuration);
const client = createClient({ url, ...(credentials && { credentials }) });
const outcome: Outcome = await client.getUser({ email: 'jane@example.com', password: 'x' });
if (outcome.ok) {
  const user: User = outcome.user;
  const verified: boolean = user.email.verified;
  const plan: unknown = user.plan;
} else {
  const code: ProblemCode = outcome.problem.code;
  // @ts-expect-error A code that the service does not have.
  code === 'no_such_code';
  // @ts-expect-error A refusal has no user.
  outcome.user;
}
// @ts-expect-error A body without a password.
await client.createUser({ email: { address: 'jane@example.com' } });
const blocks: readonly LatchkeyConfiguration[] = [
  { server: { port: 0, adminPort: '8081', tls: { certFile: 'cert.pem', keyFile: 'key.pem' }, trustProxy: ['10.0.0.5'] } },
  { server: { applicationConnectors: [{ type: 'http', port: 8080 }], cors: { origins: ['*'] }, workers: 2 } },
  { database: { type: 'sqlite', path: 'users.db' }, email: { type: 'outbox', directory: 'mails', tokenLifetime: '24h' } },
  { audit: { to: 'log' }, logging: { level: 'INFO', requests: 'all' }, operationTimeout: { operationTimeout: '5s' } },
  { events: { webhooks: [{ url: 'http://localhost:9000', secret: 'whsec_x', types: ['user.created'] }], maxAge: '7d' } },
  { auth: { type: 'oauth', issuer: 'me', jwksUrl: 'http://localhost/keys', audience: 'accounts' }, openApi: null },
  { passwordHash: { algorithm: 'argon2', memoryKiB: 19456, cache: { ttl: '5m' } }, throttle: {}, auth: null },
];
const wrong: readonly LatchkeyConfiguration[] = [
  // @ts-expect-error An option that the block does not have.
  { properties: { allowed: [], allowSupersets: true } },
  // @ts-expect-error A block that the configuration does not have.
  { databases: { type: 'memory' } },
  // @ts-expect-error A block without its required option.
  { events: { maxAge: '7d' } },
  // @ts-expect-error A duration without a unit.
  { operationTimeout: 30 },
  // @ts-expect-error An option of the other type.
  { auth: { type: 'basic', issuer: 'me' } },
];
const container = await new LatchkeyContainer().withConfiguration(configuration).withStartupTimeout(1).start();
const containerUrl: string = container.getUrl();
`;

/** An adapter in TypeScript that decodes its options by itself. */
const adapter = `
import { block, type Codec, type Decoded, defineModule, required, Secrets } from 'latchkey/ports';

const even: Codec<number> = {
  name: 'an even number',
  is: (value): value is number => typeof value === 'number',
  decode: (value): Decoded<number> =>
    typeof value === 'number' && value % 2 === 0 ? { _tag: 'Right', right: value } : { _tag: 'Left', left: [{}] },
};
const configuration = block({ step: required(even, 'The step.') });
class Steps extends Secrets {
  readonly step: number;
  constructor(step: number) {
    super();
    this.step = step;
  }
  async get() { return 'a secret'; }
  async check() { return 'steps of ' + this.step; }
  async close() {}
}
export default defineModule({
  type: 'steps', port: 'Secrets', portVersion: 2, configuration, open: async ({ step }) => new Steps(step),
});
// @ts-expect-error It decodes to a number.
defineModule({ type: 'text', port: 'Secrets', portVersion: 2, configuration: even, open: async (step: string) => new Steps(step.length) });
`;

/** The declarations that the entry points of a package import, with their texts. */
const declarationsOf = (folder: string, entryPoints: readonly string[]): ReadonlyMap<string, string> => {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = new Map<string, string>();
  const add = (file: string): void => {
    if (texts.has(file)) return;
    const text = readFileSync(file, 'utf8');
    texts.set(file, text);
    for (const [, path = ''] of text.matchAll(/\b(?:from|import\() ?['"](\.[^'"]+)\.js['"]/g))
      add(join(dirname(file), `${path}.d.ts`));
  };
  for (const name of entryPoints) add(join(folder, exports[name].types));
  return texts;
};

describe('the published latchkey/ports and latchkey/contract', () => {
  let project: CallersProject;
  before(() => {
    project = new CallersProject();
  });
  after(() => project.dispose());

  it('name no library for codecs in their types, so that it can change without new adapters', () => {
    const folder = join(project.folder, 'node_modules/latchkey');
    const declarations = declarationsOf(folder, ['./ports', './contract', './contract/http']);
    expect(declarations.size).to.be.above(20);
    for (const [file, text] of declarations) expect(text, file).not.to.match(/\bio-ts\b|\bfp-ts\b/);
  });

  it('take an option with a codec of no library', function () {
    this.timeout(60_000);
    project.write('steps.ts', adapter);
    project.compile('steps.ts');
    const latchkey = join(project.folder, 'node_modules/latchkey/dist/latchkey.cjs');
    const check = (step: unknown): string => {
      const secrets = { provider: 'module', module: './steps.ts', step };
      project.write('latchkey.yaml', JSON.stringify({ database: { type: 'memory' }, secrets }));
      const { stdout, stderr } = spawnSync(process.execPath, [latchkey, 'check', 'latchkey.yaml'], {
        cwd: project.folder,
        encoding: 'utf8',
      });
      return `${stdout}${stderr}`;
    };
    expect(check(4)).to.include('secrets (module): steps of 4');
    expect(check(5)).to.include('secrets.step: expected an even number');
    expect(check(undefined)).to.include('secrets.step: is required: an even number');
  });
});

describe('the published latchkey/client and latchkey/testing', () => {
  let project: CallersProject;
  before(() => {
    project = new CallersProject();
  });
  after(() => project.dispose());

  it('load no database driver, AWS SDK, mail library or container library', () => {
    const { stderr } = project.node(['--input-type=module', '--eval', start], { NODE_DEBUG: 'esm,module' });
    const loaded = new Set([...stderr.matchAll(/node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//g)].map(([, name]) => name));
    for (const name of loaded) {
      expect(name).not.to.match(/^@aws-sdk|^@smithy|^mongodb$|^better-sqlite3$|^bcrypt$|^argon2$|^yaml$/);
      expect(name).not.to.match(/^nodemailer$|^jsonwebtoken$|^pino|^testcontainers$|^docker/);
    }
  });

  it('share the classes of one client', () => {
    const source = `
      const { startLatchkey } = await import('latchkey/testing');
      const { createClient } = await import('latchkey/client');
      const latchkey = await startLatchkey();
      console.log(latchkey.client.constructor === createClient({ url: latchkey.url }).constructor);
      await latchkey.stop();`;
    expect(project.node(['--input-type=module', '--eval', source]).stdout).to.equal('true\n');
  });

  it('type-check in a strict project', function () {
    this.timeout(60_000);
    project.write('use.ts', use);
    project.compile('use.ts');
  });

  it('share code with the command: it reports mistyped options of an adapter that uses latchkey/ports', () => {
    project.write(
      'store.mjs',
      `import { block, Fault, text, UserStore, withDefault } from 'latchkey/ports';
      class Store extends UserStore {
        async find() { throw new Fault('store_unavailable', 'away'); }
        async insert() { return { taken: '' }; }
        async replace() { return 'stale'; }
        async remove() { return 'stale'; }
        async reserve() { return 'taken'; }
        async check() { throw new Fault('store_unavailable', 'the store is away'); }
        async close() {}
      }
      export default {
        type: 'acme', port: 'UserStore', portVersion: 3, open: async () => ({ users: new Store() }),
        configuration: block({ greeting: withDefault(text, 'hello', 'What it says.') }),
      };`,
    );
    const latchkey = join(project.folder, 'node_modules/latchkey/dist/latchkey.cjs');
    const check = (database: object) => {
      project.write('latchkey.yaml', JSON.stringify({ database }));
      const { stdout, stderr } = spawnSync(process.execPath, [latchkey, 'check', 'latchkey.yaml'], {
        cwd: project.folder,
        encoding: 'utf8',
      });
      return `${stdout}${stderr}`;
    };
    const hint = (block: string, key: string) => `database.${block}: unknown key; did you mean ${key}?`;
    expect(check({ type: 'module', module: './store.mjs', greting: 'a' })).to.include(hint('greting', 'greeting'));
    expect(check({ type: 'sqlite', pathh: 'a' })).to.include(hint('pathh', 'path'));
    // The service recognizes the Fault of the module, and prints its message.
    expect(check({ type: 'module', module: './store.mjs' })).to.include('the store is away');
  });
});
