import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { eachWithInstallation } from '../process/installation.ts';
import { type FencedBlock, fencedBlocksOf } from './fenced-blocks.ts';
import { localConfiguration } from './local-configuration.ts';

/** Replaces values that differ in each run: times, tokens, ids and hashes. */
const masked = (text: string): string =>
  text
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'UUID')
    .replace(/(?<=Time":)\d{13}/g, 'TIME')
    .replace(/\$argon2id\$[^"]*/g, 'HASH')
    .trimEnd();

/** Normalizes the content of a block or the output of a command; the layout of JSON does not matter. */
const comparable = ({ language, text }: Pick<FencedBlock, 'language' | 'text'>): string =>
  masked(language === 'json' ? JSON.stringify(JSON.parse(text)) : text);

describe('docs/tour.md', () => {
  const installation = eachWithInstallation();
  const [start, ...walk] = fencedBlocksOf('tour.md');

  it('starts like the README', () => {
    expect(start).to.deep.include({ language: 'sh', text: 'npm install && npm start\n' });
    expect(readFileSync(new URL('../../README.md', import.meta.url), 'utf8')).to.include('npm install && npm start');
  });

  it('shows the output of every command', () => {
    expect(walk.length)
      .to.be.above(20)
      .and.satisfy((length: number) => length % 2 === 0);
    for (const [index, { language, line }] of walk.entries()) {
      if (index % 2 === 0) expect(language, `line ${line}`).to.equal('sh');
      else expect(language, `line ${line}`).to.be.oneOf(['json', 'text']);
    }
  });

  it('shows what the commands really print', async function () {
    this.timeout(30_000);
    await installation().configure(await localConfiguration());
    const { url, adminUrl, stop } = await installation().serve();
    const commands = walk.filter(({ language }) => language === 'sh');
    const shown = walk.filter(({ language }) => language !== 'sh');
    const end = '=== end of a block ===\n';
    const script = commands.map(({ text }) => `${text}printf '${end.replace('\n', '\\n')}'\n`).join('');
    const { stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail'], {
      input: script.replaceAll('http://127.0.0.1:8080', url).replaceAll('http://127.0.0.1:8081', adminUrl),
      cwd: installation().folder,
      encoding: 'utf8',
    });
    await stop();
    const written = stdout.replaceAll(url, 'http://127.0.0.1:8080').split(end);
    for (const [index, { language, line, text }] of shown.entries()) {
      const actual = written[index];
      if (actual === undefined) throw new Error(`the commands above line ${line} did not run: ${stderr}`);
      expect(comparable({ language, text: actual }), `line ${line}`).to.equal(comparable({ language, text }));
    }
  });
});
