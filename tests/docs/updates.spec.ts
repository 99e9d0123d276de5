import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { eachWithInstallation } from '../process/installation.ts';
import { fencedBlocksOf } from './fenced-blocks.ts';
import { localConfiguration } from './local-configuration.ts';

const masked = (text: string): string => text.replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'UUID').trimEnd();

describe('docs/updates.md', () => {
  const installation = eachWithInstallation();

  it('shows what the commands with If-Match really print', async function () {
    this.timeout(30_000);
    const all = fencedBlocksOf('updates.md');
    const shown = all.filter(({ language }) => language === 'text');
    const commands = shown.map(({ line }) => all.findLast((block) => block.line < line));
    expect(commands.map((block) => block?.language)).to.deep.equal(['sh', 'sh']);
    await installation().configure(await localConfiguration());
    const { url, stop } = await installation().serve();
    const created = await fetch(`${url}/users`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa('dev:development-only')}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: { address: 'jane@example.com' }, password: 'correct horse', plan: 'free' }),
    });
    expect(created.status).to.equal(201);
    const end = '=== end of a block ===';
    const script = commands.map((block) => `${block?.text}echo '${end}'\n`).join('');
    const { stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail'], {
      input: script.replaceAll('http://127.0.0.1:8080', url),
      cwd: installation().folder,
      encoding: 'utf8',
    });
    await stop();
    const printed = stdout.split(`${end}\n`).map(masked).slice(0, -1);
    expect(printed, stderr).to.deep.equal(shown.map(({ text }) => masked(text)));
  });
});
