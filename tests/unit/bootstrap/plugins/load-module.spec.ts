import { expect } from 'chai';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { adapterText, Project, ports } from './project.ts';

const manifest = (exported: object | string): string =>
  JSON.stringify({ name: '@acme/store', type: 'module', exports: exported });

describe('an adapter of another package', () => {
  let project: Project;
  before(async () => {
    project = await Project.create({
      'store.mjs': adapterText(),
      'named.mjs': adapterText().replace('export default', 'export const adapter ='),
      // As TypeScript compiles it.
      'compiled.cjs': `exports.__esModule = true;
exports.default = { type: 'acme', port: 'UserStore', portVersion: 3, configuration: { decode: (value) => ({ _tag: 'Right', right: value }) }, open: async () => ({}) };`,
      'node_modules/@acme/store/package.json': manifest({ import: './lib/index.js' }),
      'node_modules/@acme/store/lib/index.js': adapterText(),
      'node_modules/@acme/store-again/package.json': manifest('./index.js'),
      'node_modules/@acme/store-again/index.js': adapterText(),
      'mailer.mjs': adapterText({
        port: `'Mailer'`,
        portVersion: '2',
        open: `async ({ greeting }) => ({ send: async () => {}, check: async () => greeting, close: async () => {} })`,
      }),
      'hash.mjs': adapterText({
        port: `'PasswordHash'`,
        portVersion: '2',
        open: `async ({ greeting }) => ({ canHash: () => true, hash: async () => greeting, verify: async () => true, inspect: () => 'current' })`,
      }),
      'secrets.mjs': adapterText({
        port: `'Secrets'`,
        portVersion: '2',
        open: `async ({ greeting }) => ({ get: async (name) => greeting + ' ' + name, check: async () => greeting, close: async () => {} })`,
      }),
    });
  });
  after(() => project.dispose());

  const health = async (database: object): Promise<string> => {
    const { configuration } = await project.read({ database: { type: 'module', ...database } });
    return (await configuration.database.open(silentContext)).users.check();
  };

  for (const module of ['@acme/store', '@acme/store-again', './store.mjs', './named.mjs']) {
    it(`is found in the folder of the configuration: ${module}`, async () => {
      expect(await health({ module })).to.equal('hello');
    });
  }

  it('is found by an absolute path', async () => {
    expect(await health({ module: `${project.folder}/store.mjs` })).to.equal('hello');
  });

  it('receives the other options of its block', async () => {
    expect(await health({ module: '@acme/store', greeting: 'good morning' })).to.equal('good morning');
  });

  it('may be compiled CommonJS', async () => {
    const { configuration } = await project.read({ database: { type: 'module', module: './compiled.cjs' } });
    expect(configuration.database.type).to.equal('module');
  });

  it('is searched first in the working directory', async () => {
    await project.write('work/store.mjs', adapterText().replace('hello', 'at work'));
    const start = process.cwd();
    process.chdir(`${project.folder}/work`);
    try {
      expect(await health({ module: './store.mjs' })).to.equal('at work');
    } finally {
      process.chdir(start);
    }
  });

  it('is searched last in the installation of Latchkey', async () => {
    const start = process.cwd();
    process.chdir(project.folder);
    try {
      expect(await project.problems({ database: { type: 'module', module: 'chai' } })).to.deep.equal([
        'database.module: exports no adapter; export the result of defineModule (latchkey/ports) as default, or as adapter',
      ]);
    } finally {
      process.chdir(start);
    }
  });

  it('sends mails, with the options of the service and its own', async () => {
    const { configuration } = await project.read({
      database: { type: 'memory' },
      email: { type: 'module', module: './mailer.mjs', greeting: 'ready', messageOptions: { subject: 'Hi' } },
    });
    expect(configuration.email?.message.subject).to.equal('Hi');
    expect(await (await configuration.email?.open(silentContext))?.check()).to.equal('ready');
  });

  it('hashes passwords, with the options of the service and its own', async () => {
    const { configuration } = await project.read({
      database: { type: 'memory' },
      passwordHash: { algorithm: 'module', module: './hash.mjs', greeting: 'hashed', serverSideHash: true },
    });
    expect(configuration.passwordHash.serverSideHash).to.equal(true);
    expect(await (await configuration.passwordHash.open(silentContext)).hash('a')).to.equal('hashed');
  });

  it('supplies secrets, and its own options take theirs from the environment', async () => {
    process.env.LATCHKEY_TEST_GREETING = 'from the environment:';
    try {
      const { configuration } = await project.read({
        secrets: { provider: 'module', module: './secrets.mjs', greeting: '${LATCHKEY_TEST_GREETING}' },
        database: { type: 'module', module: './store.mjs', greeting: '${STORE_GREETING}' },
      });
      const store = await configuration.database.open(silentContext);
      expect(await store.users.check()).to.equal('from the environment: STORE_GREETING');
    } finally {
      delete process.env.LATCHKEY_TEST_GREETING;
    }
  });

  it('supplies secrets although it cannot be closed', async () => {
    const open = `async () => ({ get: async () => 'good morning', check: async () => '', close() { throw new Error('busy'); } })`;
    await project.write('open.mjs', adapterText({ port: `'Secrets'`, portVersion: '2', open }));
    const { configuration } = await project.read({
      secrets: { provider: 'module', module: './open.mjs' },
      database: { type: 'module', module: './store.mjs', greeting: '${GREETING}' },
    });
    expect(await (await configuration.database.open(silentContext)).users.check()).to.equal('good morning');
  });

  it('may throw Faults of its own copy of the package', async () => {
    const copy = `import { Fault } from '${ports.replace('ports/index.ts', 'fault.ts')}?copy';\n`;
    const open = `async () => { throw new Fault('store_rejected', 'the table is of another program'); }`;
    await project.write('copy.mjs', adapterText({ open }, copy));
    const { configuration } = await project.read({ database: { type: 'module', module: './copy.mjs' } });
    const fault: unknown = await configuration.database.open(silentContext).catch((error: unknown) => error);
    expect(fault).to.have.property('message', 'the table is of another program');
  });
});
