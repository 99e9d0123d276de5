import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { docker, image } from '../container/image.ts';
import { type FencedBlock, fencedBlocksOf } from '../docs/fenced-blocks.ts';
import { skipSuite } from '../support/engines/skipped-suites.ts';
import { closedPort } from '../support/tcp-servers.ts';
import { DocumentShell } from './document-shell.ts';
import { shownFileOf } from './shown-file.ts';

const blocks = fencedBlocksOf('extending.md');

/** Files of the example that the page does not show, by the shown file that needs them. */
const filesToWrite: Readonly<Record<string, readonly string[]>> = { 'src/index.ts': ['src'] };

/** Starts MariaDB like the tests of the example. Resolves with its URL. */
const server = `import { MariadbServer } from './dist/test/server.js';
const server = await MariadbServer.create();
process.once('SIGTERM', async () => { await server.dispose(); process.exit(0); });
console.log('url=' + server.url + '=');`;

const missing = 'docs/extending.md needs MariaDB: apt-get install mariadb-server, or set MARIADB_URL';

const hasMariadb = (): boolean =>
  process.env.MARIADB_URL !== undefined ||
  spawnSync('bash', ['-c', 'command -v mariadbd || ls /usr/sbin/mariadbd']).status === 0;

const titleOf = ({ text, line }: FencedBlock): string => `line ${line}: ${text.split('\n')[0]}`;

describe('docs/extending.md, followed in an empty folder', () => {
  let shell: DocumentShell;
  const ports = { 8080: 0, 8081: 0 };
  before(async function () {
    if (!hasMariadb()) skipSuite(this, missing);
    shell = new DocumentShell();
    ports[8080] = await closedPort();
    ports[8081] = await closedPort();
  });
  after(() => shell?.dispose());

  const onFreePorts = (text: string): string =>
    text.replaceAll(':8080', `:${ports[8080]}`).replaceAll(':8081', `:${ports[8081]}`);

  /** The configuration of the example, with free ports. */
  const configure = (): void => {
    const file = join(shell.directory, 'latchkey.yaml');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('server:', `server:\n  port: ${ports[8080]}\n  adminPort: ${ports[8081]}`));
  };

  const startDatabase = async (): Promise<void> => {
    const own = process.env.MARIADB_URL;
    const written = own === undefined ? await shell.start(`node --input-type=module -e "${server}"`, 'url=') : '';
    shell.set('MARIADB_URL', own ?? written.split('=')[1] ?? '');
  };

  const follow = async (text: string): Promise<void> => {
    if (text.startsWith('npx latchkey serve')) {
      await shell.start(text.trim(), 'Latchkey is ready');
      return;
    }
    const output = shell.run(onFreePorts(text));
    if (!text.includes('npm test')) return;
    expect(Number(/(\d+) passing/.exec(output)?.[1])).to.be.above(300);
    const flaws = [...output.matchAll(/^ +- .*|\d+ failing[\s\S]{0,2000}/gm)].map(([text]) => text);
    expect(flaws.join('\n'), 'tests that failed or did not run').to.equal('');
    await startDatabase();
  };

  for (const block of blocks) {
    const shown = shownFileOf(block);
    if (shown !== undefined) {
      it(titleOf(block), () => {
        for (const file of filesToWrite[shown.file] ?? [shown.file]) shell.write(file);
        if (shown.file === 'latchkey.yaml') configure();
      });
    } else if (block.language === 'sh')
      // The tests of the example take minutes on a busy machine.
      it(titleOf(block), () => follow(block.text)).timeout(600_000);
    else
      it(titleOf(block), async function () {
        await docker('image', 'inspect', image).catch(() => {
          process.stderr.write(
            `\nSKIPPED: the container of docs/extending.md; there is no image ${image}, or no Docker.\n`,
          );
          this.skip();
        });
        // For builds with a private registry.
        const built = [`--network=host`, '--build-arg', 'NPM_CONFIG_REGISTRY', '--quiet'];
        shell.run(`cp ../latchkey-mariadb/acme-*.tgz .`);
        writeFileSync(join(shell.directory, 'Dockerfile'), block.text.replace('FROM latchkey', `FROM ${image}`));
        const id = await docker('build', ...built, shell.directory);
        try {
          const said = await docker(
            'run',
            '--rm',
            '-e',
            'SHOP_SECRET=a',
            '-e',
            'MARIADB_URL=mariadb://127.0.0.1:1',
            id,
            'check',
          ).catch((error: { readonly stdout: string }) => error.stdout);
          expect(said).to.include('database (module): MariaDB: the server cannot be reached');
        } finally {
          await docker('rmi', '--force', id);
        }
      });
  }

  it('results in the package of the example', () => {
    const read = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const written = read(join(shell.directory, '../latchkey-mariadb'));
    const example = read(fileURLToPath(new URL('../../examples/mariadb-store', import.meta.url)));
    for (const member of ['name', 'version', 'type', 'exports', 'files', 'peerDependencies'])
      expect(written[member], member).to.deep.equal(example[member]);
    expect(written.scripts).to.include({ test: example.scripts.test, prepack: example.scripts.prepack });
    for (const member of ['dependencies', 'devDependencies'])
      expect(Object.keys(written[member]), member).to.have.members(Object.keys(example[member]));
  });
});
