import { spawnSync } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { eachWithInstallation, program } from '../process/installation.ts';
import { closedPort } from '../support/tcp-servers.ts';
import { textOf } from './documents.ts';
import { fencedBlocksOf } from './fenced-blocks.ts';

const blocks = fencedBlocksOf('ids.md');
const textsIn = (language: string): readonly string[] =>
  blocks.filter((block) => block.language === language).map(({ text }) => text);
const configuration: Readonly<Record<string, unknown>> = parse(textsIn('yaml').join(''));

/** Runs the installed command instead of that of the package. */
const npx = `npx() { shift; '${process.execPath}' '${program}' "$@"; }`;

describe('docs/ids.md', function () {
  this.timeout(30_000);
  const installation = eachWithInstallation();

  /** Serves the configuration of the page, or some of its blocks, on free ports. */
  const serve = async (served: Readonly<Record<string, unknown>> = configuration) => {
    await installation().configure({
      ...served,
      server: { host: '127.0.0.1', port: await closedPort(), adminPort: 0 },
      database: { type: 'sqlite', path: 'ids.db' },
    });
    return installation().serve();
  };

  const create = async (url: string, user: Readonly<Record<string, unknown>>): Promise<void> => {
    const created = await fetch(`${url}/users`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa('dev:development-only')}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ password: 'correct horse', ...user }),
    });
    expect(created.status).to.equal(201);
  };

  it('shows what its commands really print, one after the other', async () => {
    const { url, stop } = await serve();
    const { folder } = installation();
    await copyFile(join(folder, 'latchkey.yaml'), join(folder, 'ids.yaml'));
    const { stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail'], {
      cwd: folder,
      input: [npx, ...textsIn('sh')].join('\n').replaceAll('http://127.0.0.1:8080', url),
      encoding: 'utf8',
    });
    await stop();
    expect(stdout, stderr).to.equal(textsIn('text').join(''));
  });

  it('shows what the commands print about users who share a value', async () => {
    const { users: _, properties: __, ...former } = configuration;
    const before = await serve(former);
    await create(before.url, { email: { address: 'jane@example.com' }, username: 'Jane', id: 'usr_1' });
    await create(before.url, { email: { address: 'joe@example.com' }, username: 'jane', id: 'usr_1' });
    await before.stop();
    const { stop } = await serve();
    for (const command of ['ids', 'reindex']) {
      const { stdout } = await installation().command([command, 'latchkey.yaml']);
      const [line = ''] = stdout.split('\n');
      // Both are checked at once, so that either may be the one who has the name.
      const [joe, jane] = ['joe@example.com', 'jane@example.com'];
      const shown = line.startsWith(`FAIL  ${jane}`)
        ? line.replace(joe, '-').replace(jane, joe).replace('-', jane)
        : line;
      expect(textOf('docs/ids.md')).to.include(`| \`${shown}\``);
    }
    await stop();
  });
});
