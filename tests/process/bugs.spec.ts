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

  it('is logged with lines of the sources instead of the compiled files', async () => {
    const store = `export default {
      type: 'broken', port: 'UserStore', portVersion: 2, configuration: { validate: () => ({ _tag: 'Right', right: {} }) },
      open: async () => ({ users: {
        find: async () => { throw new TypeError('canary'); }, insert: async () => 'taken', replace: async () => 'stale',
        remove: async () => 'stale', check: async () => 'well', close: async () => {},
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
