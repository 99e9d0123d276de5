import { expect } from 'chai';
import { faultOf } from '../../../../sdk/contract/outcomes.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { adapterText, Project } from './project.ts';

const absent =
  'database.module: the package or file was not found; Latchkey searches the working directory, then the folder of the configuration file, then its own installation; the path of a file starts with ./ or /';

/** Files in the folder of the configuration, and the problem that each causes. */
const unusable: Readonly<Record<string, readonly [file: string, content: string, problem: string]>> = {
  'a module without an adapter': [
    'store.mjs',
    'export default 5;',
    'database.module: exports no adapter; export the result of defineModule (latchkey/ports) as default, or as adapter',
  ],
  'a definition that cannot be opened': [
    'store.mjs',
    adapterText({ open: 'undefined' }),
    'database.module: exports no adapter; export the result of defineModule (latchkey/ports) as default, or as adapter',
  ],
  'an adapter without the name of its port': [
    'store.mjs',
    adapterText({ port: `'Store'` }),
    "database.module: exports an adapter without the name of its port; add port: 'UserStore' to it",
  ],
  'an adapter of another port': [
    'store.mjs',
    adapterText({ port: `'Mailer'` }),
    'database.module: exports an adapter of the port Mailer; this block needs a UserStore',
  ],
  'an adapter for another version of the port': [
    'store.mjs',
    adapterText({ portVersion: '1' }),
    'database.module: was written for version 1 of the port UserStore; this is version 3',
  ],
  'a module that imports a package that is missing': [
    'store.mjs',
    adapterText({}, `import 'a-package-of-nobody';\n`),
    "database.module: can't be loaded: Cannot find package 'a-package-of-nobody' imported from @/store.mjs",
  ],
  'a module that throws when it is loaded': [
    'store.mjs',
    adapterText({}, `\nthrow new TypeError('a secret');\n`),
    "database.module: can't be loaded: TypeError at @/store.mjs:3",
  ],
  'a module with a syntax error': [
    'store.cjs',
    '\nconst = 5;\n',
    "database.module: can't be loaded: SyntaxError at @/store.cjs:2",
  ],
  'a module with a syntax error whose place is unknown': [
    'store.mjs',
    'const = 5;',
    "database.module: can't be loaded: SyntaxError; node --check with the path of the file shows where",
  ],
};

describe('an unusable adapter of another package', () => {
  let project: Project;
  beforeEach(async () => {
    project = await Project.create({});
  });
  afterEach(() => project.dispose());

  for (const [what, [file, content, problem]] of Object.entries(unusable)) {
    it(`is reported: ${what}`, async () => {
      await project.write(file, content);
      expect(await project.problems({ database: { type: 'module', module: `./${file}` } })).to.deep.equal([problem]);
    });
  }

  for (const module of ['./store.mjs', '/nowhere/store.mjs', '@acme/latchkey-store', 'store.mjs']) {
    it(`is reported as missing: ${module}`, async () => {
      expect(await project.problems({ database: { type: 'module', module } })).to.deep.equal([absent]);
    });
  }

  it('is reported as a package that was not built', async () => {
    await project.write('node_modules/acme-store/package.json', '{"name":"acme-store","exports":"./dist/index.js"}');
    expect(await project.problems({ database: { type: 'module', module: 'acme-store' } })).to.deep.equal([
      'database.module: the package is installed, but the file that its package.json names is missing; build the package',
    ]);
  });

  it('is reported as a package without this export', async () => {
    await project.write('node_modules/acme-store/package.json', '{"name":"acme-store","exports":{"./a":"./a.js"}}');
    expect(await project.problems({ database: { type: 'module', module: 'acme-store' } })).to.deep.equal([
      "database.module: can't be found (ERR_PACKAGE_PATH_NOT_EXPORTED)",
    ]);
  });

  it('is reported when its name is missing or not text', async () => {
    const problem = 'text (in quotes if it looks like a number)';
    expect(await project.problems({ database: { type: 'module' } })).to.deep.equal([
      `database.module: is required: ${problem}`,
    ]);
    expect(await project.problems({ database: { type: 'module', module: 5 } })).to.deep.equal([
      `database.module: expected ${problem}`,
    ]);
  });

  it('is refused with another type', async () => {
    expect(await project.problems({ database: { type: 'memory', module: './store.mjs' } })).to.have.length(1);
  });

  it('does not hide other problems of its block', async () => {
    const email = { type: 'module', module: './nowhere.mjs', verificationOnUpdate: 'nobody' };
    expect(await project.problems({ database: { type: 'memory' }, email })).to.deep.equal([
      'email.verificationOnUpdate: expected one of body, server',
      absent.replace('database', 'email'),
    ]);
  });
});

describe('the options of an adapter of another package', () => {
  let project: Project;
  beforeEach(async () => {
    project = await Project.create({});
  });
  afterEach(() => project.dispose());

  it('are checked together with those of the service', async () => {
    await project.write('store.mjs', adapterText());
    expect(await project.problems({ database: { type: 'module', module: './store.mjs', greting: 'a' } })).to.deep.equal(
      ['database.greting: unknown key; did you mean greeting?'],
    );
  });

  it('may be a plain codec of io-ts', async () => {
    const codec = `t.strict({ pool: t.type({ size: t.number }) })`;
    const io = new URL('../../../../node_modules/io-ts/lib/index.js', import.meta.url).href;
    await project.write('store.mjs', adapterText({ configuration: codec }, `import t from '${io}';\n`));
    const database = { type: 'module', module: './store.mjs', pool: { size: 'a secret' } };
    expect(await project.problems({ database })).to.deep.equal(['database.pool.size: expected number']);
  });
});

describe('opening an adapter of another package', () => {
  let project: Project;
  beforeEach(async () => {
    project = await Project.create({});
  });
  afterEach(() => project.dispose());

  const faultWith = async (open: string): Promise<string> => {
    await project.write('store.mjs', adapterText({ open }));
    const { configuration } = await project.read({ database: { type: 'module', module: './store.mjs' } });
    const { code, message } = await faultOf(configuration.database.open(silentContext));
    return `${code}: ${message.replaceAll(project.folder, '@')}`;
  };

  it('reports the missing methods of the port', async () => {
    expect(
      await faultWith('async () => ({ users: { find() {}, insert() {}, remove: 5 }, events: { claim() {} } })'),
    ).to.equal(
      'store_rejected: the adapter acme opened no UserStore: it lacks users.replace, users.remove, users.reserve, users.check, users.close, events.add, events.list, events.done, events.postpone, events.pending, events.destinations, events.expire',
    );
    expect(await faultWith('() => undefined')).to.include('opened no UserStore');
  });

  it('reports the place of another error, without its message', async () => {
    expect(await faultWith(`() => { throw new RangeError('postgres://user:a secret@db:5432'); }`)).to.equal(
      'store_rejected: the adapter acme failed to open: RangeError at @/store.mjs:7',
    );
  });
});
