import { expect } from 'chai';
import type { OpenAdapter } from '../../../../adapters/kit/definition.ts';
import { faultOf } from '../../../../sdk/contract/outcomes.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { adapterText, Project } from './project.ts';

const none = '(undefined)';
const user = `({ email: { address: 'jane@example.com', verification: { verified: false, token: null } }, password: 'p', creationTime: 1, lastUpdateTime: 1, properties: '{}' })`;

type Members = Readonly<Record<string, unknown>>;

/** An adapter of each port whose methods all return one value. */
const blocks = {
  database: ['UserStore', 3],
  email: ['Mailer', 2],
  secrets: ['Secrets', 2],
  passwordHash: ['PasswordHash', 2],
} as const;

describe('the results of an adapter of another package', () => {
  let project: Project;
  let written = 0;
  beforeEach(async () => {
    project = await Project.create({});
  });
  afterEach(() => project.dispose());

  /** What an adapter opens whose methods all have the body `method`, such as `return null`. */
  const opened = async (block: keyof typeof blocks, method: string, context = silentContext): Promise<Members> => {
    const [port, version] = blocks[block];
    const all = `new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : function call() { ${method} }) })`;
    const open =
      block === 'database'
        ? `async () => ({ users: ${all}, names: ${all}, listing: ${all}, search: ${all}, events: ${all}, attempts: async () => ${all} })`
        : `async () => ${all}`;
    // A module is loaded once.
    const file = `${block}-${++written}.mjs`;
    await project.write(file, adapterText({ port: `'${port}'`, portVersion: String(version), open }));
    const type = { database: 'type', email: 'type', secrets: 'provider', passwordHash: 'algorithm' }[block];
    const { configuration } = await project.read({
      database: { type: 'memory' },
      [block]: { [type]: 'module', module: `./${file}` },
    });
    const { open: openPort }: { open: OpenAdapter<unknown> } = configuration[block]!;
    return (await openPort(context)) as Members;
  };
  const call = async (port: Members, place: string): Promise<unknown> => {
    const [member, name] = place.includes('.') ? place.split('.') : [undefined, place];
    const attempts: unknown = member === 'attempts' ? await (port.attempts as () => Promise<unknown>)() : undefined;
    const owner = member === undefined ? port : (attempts ?? port[member]);
    return (owner as Record<string, () => unknown>)[name!]!();
  };

  const refused = {
    database: [
      ['null', ['users.find', 'users.insert', 'users.replace', 'users.remove', 'users.reserve', 'names.find']],
      [none, ['users.insert', 'users.replace', 'users.remove', 'users.reserve', 'users.check', 'attempts.status']],
      [none, ['listing.list', 'search.sorted', 'search.count', 'events.claim', 'events.list', 'events.pending']],
      ['({})', ['users.find', 'users.insert', 'listing.list', 'attempts.status', 'events.list', 'events.claim']],
      [`({ user: {}, version: '1' })`, ['users.find', 'names.find', 'users.insert', 'users.replace']],
      [`({ user: ${user}, version: 'a"b' })`, ['users.find', 'users.insert']],
      ['([])', ['events.expire', 'events.list', 'listing.list']],
      ['[null]', ['events.claim', 'events.destinations']],
      [`[{ id: 'a' }]`, ['events.claim']],
      ['true', ['users.remove', 'users.reserve', 'users.replace']],
      ['({ failures: NaN, blockedForMs: 0 })', ['attempts.status']],
    ],
    email: [[none, ['check']]],
    secrets: [
      [none, ['get', 'check']],
      ['null', ['get']],
      ['5', ['get']],
    ],
    passwordHash: [
      [none, ['hash', 'verify']],
      [`''`, ['hash']],
      [`Buffer.from('a')`, ['hash']],
      ['({ matches: false })', ['verify']],
    ],
  } as const;
  for (const [block, cases] of Object.entries(refused))
    for (const [value, places] of cases)
      it(`are refused with the name of the method: ${value} of ${places.join(', ')}`, async () => {
        const plain = await opened(block as keyof typeof blocks, `return ${value}`);
        const promised = await opened(block as keyof typeof blocks, `return Promise.resolve(${value})`);
        for (const place of places)
          for (const port of [plain, promised])
            expect((await faultOf(call(port, place))).message).to.equal(
              `the adapter acme returned from ${place} what the port does not allow`,
            );
      });

  it('are refused where a method must not be asynchronous, although its rejection is not awaited', async () => {
    const hash = await opened('passwordHash', `return Promise.reject(new Error('canary'))`);
    for (const name of ['canHash', 'inspect']) expect((await faultOf(call(hash, name))).message).to.include(name);
  });

  it('may be plain values, and thenables that are no Promise', async () => {
    const stored = `({ user: ${user}, version: '1' })`;
    for (const method of [`return ${stored}`, `return { then: (resolve) => void resolve(${stored}) }`]) {
      const store = await opened('database', method);
      for (const place of ['users.find', 'names.find', 'users.insert']) {
        const [member, name] = place.split('.');
        const found = (store[member!] as Record<string, () => unknown>)[name!]!();
        expect(found).to.be.instanceOf(Promise);
        expect(await found).to.have.property('version', '1');
      }
    }
  });

  it('may be errors, which are thrown as rejections and otherwise as they are', async () => {
    const store = await opened('database', `throw new RangeError('canary')`);
    const error: unknown = await call(store, 'names.find').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(RangeError);
  });

  for (const value of [`'a secret'`, 'undefined', 'null'])
    it(`have a Fault in place of a thrown value that is no Error: ${value}`, async () => {
      const store = await opened('database', `throw ${value}`);
      const { message } = await faultOf(call(store, 'events.done'));
      expect(message).to.equal('the adapter acme threw a value that is not an Error from events.done');
    });

  it('are awaited for nine tenths of the operation timeout at most', async () => {
    const context = { ...silentContext, operationTimeoutMs: 20 };
    for (const [block, places] of Object.entries({
      database: ['users.find', 'names.find', 'listing.list', 'events.claim', 'attempts.recordFailure', 'users.close'],
      email: ['send', 'close'],
      secrets: ['get', 'close'],
      passwordHash: ['verify'],
    })) {
      const port = await opened(block as keyof typeof blocks, 'return new Promise(() => {})', context);
      for (const place of places) {
        const { code, message } = await faultOf(call(port, place));
        expect(`${code}: ${message}`).to.equal(`timed_out: the adapter acme did not end ${place} within 18 ms`);
      }
    }
  });

  it('of opened attempt counters are checked for missing methods', async () => {
    const users = ['find', 'insert', 'replace', 'remove', 'reserve', 'check', 'close'].map((name) => `${name}() {}`);
    const open = `async () => ({ users: { ${users.join()} }, attempts: async () => ({ status() {} }) })`;
    await project.write('own.mjs', adapterText({ open }));
    const { configuration } = await project.read({ database: { type: 'module', module: './own.mjs' } });
    const { attempts } = await configuration.database.open(silentContext);
    const limits = { failures: 1, clientFailures: 1, windowMs: 1, blockMs: 1 };
    expect((await faultOf(attempts!(limits))).message).to.equal(
      'the adapter acme opened no AttemptCounter: it lacks recordFailure, reset, check, close',
    );
  });
});
