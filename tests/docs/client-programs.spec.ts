import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { Installation, type Serving } from '../process/installation.ts';
import { fencedBlocksOf } from './fenced-blocks.ts';

const textOf = (file: string): string =>
  readFileSync(new URL(`../../examples/client-programs/${file}`, import.meta.url), 'utf8');
const [printed] = fencedBlocksOf('client-programs.md').filter(({ language }) => language === 'text');

const programs = [
  { language: 'ts', file: 'accounts.mts', command: process.execPath, args: [] },
  { language: 'python', file: 'accounts.py', command: 'python3', args: [] },
  { language: 'go', file: 'accounts.go', command: 'go', args: ['run'] },
  { language: 'java', file: 'Accounts.java', command: 'java', args: [] },
] as const;

describe('docs/client-programs.md', function () {
  // A first run of a compiler takes long on a busy machine.
  this.timeout(180_000);
  const secret = 'a secret of the shop';
  let installation: Installation;
  let serving: Serving;
  before(async () => {
    installation = await Installation.create();
    const server = { host: '127.0.0.1', port: 0, adminPort: 0 };
    await installation.configure({ ...parse(textOf('latchkey.yaml')), server });
    serving = await installation.serve({ SHOP_SECRET: secret });
  });
  after(() => installation.dispose());

  for (const { language, file, command, args } of programs)
    it(`has a program in ${language} that prints what the page shows`, async function () {
      const program = textOf(file);
      expect(program).to.match(/^(?:\/\/|#) \w+\.\w+: /);
      if (spawnSync(command, [command === 'go' ? 'version' : '--version']).error !== undefined) {
        console.warn(`${command} is not installed: the program in ${language} was NOT run`);
        this.skip();
      }
      await installation.write(file, program);
      const { stdout, stderr } = spawnSync(command, [...args, file], {
        cwd: installation.folder,
        env: { ...process.env, LATCHKEY_URL: serving.url, SHOP_SECRET: secret },
        encoding: 'utf8',
      });
      expect(stdout, stderr).to.equal(printed?.text);
    });
});
