import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { eachWithInstallation, program } from './installation.ts';

const served = `process.argv.push('serve', 'latchkey.yaml');\nawait import(${JSON.stringify(pathToFileURL(program).href)});\n`;

describe('latchkey serve, when it has a bug', () => {
  const installation = eachWithInstallation();

  for (const [kind, bug] of [
    ['unhandled rejection', `Promise.reject(new RangeError('canary'));`],
    ['unhandled rejection', `Promise.reject('canary');`],
    ['uncaught exception', `setImmediate(() => { throw new RangeError('canary'); });`],
  ] as const) {
    it(`ends with 1 and a line without values: ${bug}`, async () => {
      await installation().write('buggy.mjs', `${served}${bug}\n`);
      const run = installation().node(['buggy.mjs']);
      expect(await run.ended).to.equal(1);
      expect(run.log.at(-1)).to.include({ level: 50, msg: kind });
      expect(run.stdout + run.stderr).not.to.include('canary');
    });
  }
});
