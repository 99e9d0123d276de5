import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Run } from '../run.ts';

const script = fileURLToPath(new URL('../../../tools/check-regexps.js', import.meta.url));

describe('the check of regular expressions', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-regexps-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const check = async (source: string) => {
    await writeFile(join(folder, 'source.ts'), source);
    const run = new Run(spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'pipe'] }));
    return { status: await run.ended, stdout: run.stdout, stderr: run.stderr };
  };

  it('passes expressions that take linear time', async () => {
    const { status, stdout } = await check('export const a = /^[a-z]+(?:-[a-z]+)*$/;\nexport const b = (/^ *,/g);\n');
    expect(status).to.equal(0);
    expect(stdout).to.include('2 expressions');
  });

  const refused = {
    'quadratic time': ['/^json *(?:; *charset=utf-8)? *$/i', /2nd degree polynomial, with /],
    'exponential time': ['/^(?:a|a)*$/', /exponential, with /],
    'an unknown time, because they are created at run time': ['new RegExp(process.argv[2])', /created at run time/],
    'an unknown time, because the class has another path': ["new globalThis.RegExp('a')", /created at run time/],
    'an unknown time, because a method makes them of a text': ["'a'.match('a+')", /created at run time/],
  } as const;
  for (const [what, [expression, reason]] of Object.entries(refused)) {
    it(`fails for expressions that take ${what}, and says where they are`, async () => {
      const { status, stderr } = await check(`// é\n\nexport const pattern: RegExp = ${expression};\n`);
      expect(status).to.equal(1);
      expect(stderr)
        .to.include(`${join(folder, 'source.ts')}:3: `)
        .and.match(reason);
    });
  }
});
