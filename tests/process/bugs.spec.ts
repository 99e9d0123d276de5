import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { clientHeaders, eachWithInstallation, program } from './installation.ts';

const served = `process.argv.push('serve', 'latchkey.yaml');\nawait import(${JSON.stringify(new URL('main.js', pathToFileURL(program)).href)});\n`;

describe('a bug in latchkey serve', () => {
  const installation = eachWithInstallation();

  for (const [kind, bug] of [
    ['unhandled rejection', `Promise.reject(new RangeError('canary'));`],
    ['unhandled rejection', `Promise.reject('canary');`],
    ['unhandled rejection', `Promise.reject(new RangeError('two\\nlines, canary'));`],
    ['uncaught exception', `setImmediate(() => { throw new RangeError('canary'); });`],
  ] as const) {
    it(`ends the process with 1 and logs no values: ${bug}`, async () => {
      await installation().write('buggy.mjs', `${served}${bug}\n`);
      const run = installation().node(['buggy.mjs']);
      expect(await run.ended).to.equal(1);
      expect(run.log.at(-1)).to.include({ level: 50, msg: kind });
      expect(run.stdout + run.stderr).not.to.include('canary');
    });
  }

  it('logs the code of Node.js or of the system, and no other value in its place', async () => {
    for (const [code, logged] of [
      ['ENOSPC', 'ENOSPC'],
      ['canary', undefined],
    ]) {
      const bug = `setImmediate(() => { throw Object.assign(new Error('canary'), { code: '${code}' }); });`;
      await installation().write('buggy.mjs', `${served}${bug}\n`);
      const run = installation().node(['buggy.mjs']);
      expect(await run.ended).to.equal(1);
      expect(run.log.at(-1)).to.include({ name: 'Error', msg: 'uncaught exception' });
      expect(run.log.at(-1)?.code).to.equal(logged);
      expect(run.stdout + run.stderr).not.to.include('canary');
    }
  });

  it('of an adapter that never loads ends it with 1 and a message', async () => {
    await installation().write('waiting.mjs', 'await new Promise(() => {});');
    await installation().configure({ database: { type: 'module', module: './waiting.mjs' } });
    for (const command of ['check', 'serve']) {
      const run = installation().start([command, 'latchkey.yaml']);
      expect(await run.ended).to.equal(1);
      expect(run.stderr).to.include('latchkey: ended without a result: an adapter waits for something');
    }
  });

  it('of an adapter that leaves a timer behind does not keep a command that is done', async () => {
    const store = `setInterval(() => {}, 1_000);\nexport default {
      type: 'lingering', port: 'UserStore', portVersion: 3, configuration: { decode: () => ({ _tag: 'Right', right: {} }) },
      open: async () => ({ users: {
        find() {}, insert() {}, replace() {}, remove() {}, reserve() {}, check: () => 'well', close() {},
      } }),
    };`;
    await installation().write('lingering.mjs', store);
    await installation().configure({ database: { type: 'module', module: './lingering.mjs' } });
    const { status, stdout, stderr } = await installation().command(['check', 'latchkey.yaml']);
    expect(stdout).to.include('ok    database (module): well');
    expect(stderr).to.include('latchkey: an adapter keeps a timer or a connection open');
    expect(status).to.equal(0);
  });

  it('is not what a call without a response is', async () => {
    const store = `export default {
      type: 'hanging', port: 'UserStore', portVersion: 3, configuration: { decode: () => ({ _tag: 'Right', right: {} }) },
      open: () => new Promise(() => {}),
    };`;
    await installation().write('hanging.mjs', store);
    await installation().configure({ database: { type: 'module', module: './hanging.mjs' } });
    const { status, stdout, stderr } = await installation().command(['check', 'latchkey.yaml']);
    expect(stdout).to.include('FAIL  database (module): no response within 3 s\n');
    expect([status, stderr]).to.deep.equal([1, '']);
  });

  it('is logged with lines of the sources instead of the compiled files', async () => {
    const store = `export default {
      type: 'broken', port: 'UserStore', portVersion: 3, configuration: { decode: () => ({ _tag: 'Right', right: {} }) },
      open: async () => ({ users: {
        find: async () => { throw new TypeError('canary'); }, insert: async () => ({ taken: '' }), replace: async () => 'stale',
        remove: async () => 'stale', reserve: async () => 'taken', check: async () => 'well', close: async () => {},
      } }),
    };`;
    await installation().write('broken.mjs', store);
    await installation().configure({ database: { type: 'module', module: './broken.mjs' } });
    const { run, url } = await installation().serve();
    const headers = { ...clientHeaders, password: 'correct horse' };
    expect((await fetch(`${url}/users?email=jane@example.com`, { headers })).status).to.equal(500);
    await run.until(() => run.log.some(({ msg }) => msg === 'unexpected error'));
    const { error } = run.log.find(({ msg }) => msg === 'unexpected error') ?? {};
    expect(JSON.stringify(error)).to.match(/\/application\/accounts\/get-user\.ts:\d+:\d+/);
    expect(JSON.stringify(error)).not.to.match(/canary|dist\//);
  });
});

describe('a bug elsewhere', () => {
  const installation = eachWithInstallation();
  const printed = /^latchkey: unexpected error: RangeError \(ERR_CANARY\)\n( {4}at .*\n){1,5}$/;

  /** Throws in a process as soon as it handles its bugs. */
  const bug = (isIn: string): string => `
    import cluster from 'node:cluster';
    const thrown = () => { throw Object.assign(new RangeError('canary'), { code: 'ERR_CANARY' }); };
    process.on('newListener', (event) => { if (event === 'uncaughtException' && ${isIn}) queueMicrotask(thrown); });
  `;

  it('ends a command with 1, and prints one line and a trace without a value or a line of the program', async () => {
    await installation().write('bug.mjs', bug('true'));
    for (const args of [
      ['help'],
      ['check', 'latchkey.yaml'],
      ['export', 'latchkey.yaml'],
      ['serve', 'latchkey.yaml'],
    ]) {
      const run = installation().node(['--import', './bug.mjs', program, ...args]);
      expect(await run.ended, args[0]).to.equal(1);
      expect(run.stderr, args[0]).to.match(printed);
      expect(run.stdout).not.to.include('canary');
    }
  });

  it('in code without a source, such as what the bundler adds, is reported with the compiled line', async () => {
    await installation().write('bug.js', bug('true'));
    await installation().write('bug.js.map', JSON.stringify({ version: 3, sources: [], names: [], mappings: 'A' }));
    const run = installation().node(['--import', './bug.js', program, 'help']);
    expect(await run.ended).to.equal(1);
    expect(run.stderr).to.match(printed).and.include('/bug.js:');
  });

  it('ends a worker and with it the start, and is reported once, as a line of the log if that is open', async () => {
    await installation().write('bug.mjs', bug('cluster.isWorker'));
    await installation().configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, workers: 2 } });
    const run = installation().node(['--import', './bug.mjs', program, 'serve', 'latchkey.yaml']);
    expect(await run.ended).to.equal(1);
    const logged = run.stdout.split('\n').filter((line) => line.includes('"code":"ERR_CANARY"'));
    if (logged.length === 0) expect(run.stderr).to.match(printed);
    else expect([logged.length, run.stderr]).to.deep.equal([1, '']);
    expect(run.stdout).not.to.include('canary');
  });

  it('is not reported in a working directory that was deleted, which the commands say instead', async () => {
    for (const args of [['serve'], ['check', 'latchkey.yaml'], ['init', 'folder'], ['help'], ['--unknown']]) {
      const run = installation().node([program, ...args], {}, 'mkdir gone && cd gone && rmdir ../gone');
      expect(await run.ended, args[0]).to.equal(1);
      expect(run.stderr).to.equal('latchkey: the working directory does not exist any more; change to another one\n');
    }
  });

  it('of a damaged installation is one line', async () => {
    const { folder } = installation();
    await copyFile(program, join(folder, 'latchkey.cjs'));
    const start = () => installation().node(['latchkey.cjs', 'help']);
    for (const content of [undefined, `throw new RangeError('broken');`]) {
      if (content !== undefined) await installation().write('main.js', content);
      const run = start();
      expect(await run.ended).to.equal(1);
      expect(run.stderr).to.match(/^latchkey: cannot be loaded: .*; install the package again\n$/);
    }
  });
});
