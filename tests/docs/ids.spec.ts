import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { parse } from 'yaml';
import { eachWithInstallation } from '../process/installation.ts';
import { closedPort } from '../support/tcp-servers.ts';
import { fencedBlocksOf } from './fenced-blocks.ts';

const all = fencedBlocksOf('ids.md');
const shown = all
  .filter(({ language }) => language === 'text')
  .map(({ text, line }) => ({ output: text, command: all.findLast((block) => block.line < line)?.text ?? '' }));
const configuration: Readonly<Record<string, unknown>> = parse(
  all.find(({ language }) => language === 'yaml')?.text ?? '',
);

describe('docs/ids.md', function () {
  this.timeout(30_000);
  const installation = eachWithInstallation();

  /** Serves the configuration of the page, without some of its blocks, on free ports. */
  const serve = async (blocks: Readonly<Record<string, unknown>> = configuration) => {
    await installation().configure({
      ...blocks,
      server: { host: '127.0.0.1', port: await closedPort(), adminPort: 0 },
      database: { type: 'sqlite', path: 'ids.db' },
    });
    return installation().serve();
  };

  const create = async (url: string, address: string, username: string): Promise<void> => {
    const created = await fetch(`${url}/users`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa('dev:development-only')}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: { address }, password: 'correct horse', username }),
    });
    expect(created.status).to.equal(201);
  };

  it('shows what its requests really print', async () => {
    const { url, stop } = await serve();
    const requests = shown.slice(0, 2);
    const script = requests.map(({ command }) => command).join('\n');
    const { stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail'], {
      input: script.replaceAll('http://127.0.0.1:8080', url),
      encoding: 'utf8',
    });
    await stop();
    expect(stdout, stderr).to.equal(requests.map(({ output }) => output).join(''));
  });

  it('shows what the commands for existing users really print, also while the service runs', async () => {
    const { users: _, properties: __, ...former } = configuration;
    const before = await serve(former);
    await create(before.url, 'jane@example.com', 'Jane');
    await create(before.url, 'joe@example.com', 'jane');
    await before.stop();
    const { stop } = await serve();
    const printed: string[] = [];
    for (const command of ['ids', 'reindex']) {
      expect(shown[2]?.command).to.include(`latchkey ${command} ids.yaml\n`);
      const { stdout, stderr } = await installation().command([command, 'latchkey.yaml']);
      printed.push(stdout + stderr);
    }
    await stop();
    // Both are checked at once, so that either may be the one who has the name.
    const [jane, joe] = [
      'joe@example.com: username: belongs to jane@example.com',
      'jane@example.com: username: belongs to joe@example.com',
    ];
    expect(printed.join('').replace(joe, jane)).to.equal(shown[2]?.output);
  });
});
