import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { docker, image } from '../container/image.ts';
import { type FencedBlock, fencedBlocksOf } from '../docs/fenced-blocks.ts';
import { skipSuite } from '../support/engines/skipped-suites.ts';
import { closedPort } from '../support/tcp-servers.ts';
import { Newcomer } from './newcomer.ts';
import { shownFileOf } from './shown-file.ts';

const blocks = fencedBlocksOf('extending.md');

/** What the example has and the page does not show: the newcomer writes it with the file that needs it. */
const companions: Readonly<Record<string, readonly string[]>> = { 'src/index.ts': ['src'] };

/** Starts the PostgreSQL of the example's tests, and says where it is. */
const server = `import { Server } from './dist/test/server.js';
const server = await Server.create();
process.once('SIGTERM', async () => { await server.dispose(); process.exit(0); });
console.log('url=' + server.url + '=');`;

const missing = 'docs/extending.md needs PostgreSQL: apt-get install postgresql, or set POSTGRES_URL';

const hasPostgres = (): boolean =>
  process.env.POSTGRES_URL !== undefined ||
  spawnSync('bash', ['-c', 'command -v initdb || ls /usr/lib/postgresql/*/bin/initdb']).status === 0;

const titleOf = ({ text, line }: FencedBlock): string => `line ${line}: ${text.split('\n')[0]}`;

describe('docs/extending.md, followed in an empty folder', () => {
  let newcomer: Newcomer;
  const ports = { 8080: 0, 8081: 0 };
  before(async function () {
    if (!hasPostgres()) skipSuite(this, missing);
    newcomer = new Newcomer();
    ports[8080] = await closedPort();
    ports[8081] = await closedPort();
  });
  after(() => newcomer?.leave());

  const onFreePorts = (text: string): string =>
    text.replaceAll(':8080', `:${ports[8080]}`).replaceAll(':8081', `:${ports[8081]}`);

  /** The configuration of the example, on ports that are free. */
  const configure = (): void => {
    const file = join(newcomer.place, 'latchkey.yaml');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('server:', `server:\n  port: ${ports[8080]}\n  adminPort: ${ports[8081]}`));
  };

  const startDatabase = async (): Promise<void> => {
    const own = process.env.POSTGRES_URL;
    const written = own === undefined ? await newcomer.start(`node --input-type=module -e "${server}"`, 'url=') : '';
    newcomer.set('POSTGRES_URL', own ?? written.split('=')[1] ?? '');
  };

  const follow = async (text: string): Promise<void> => {
    if (text.startsWith('npx latchkey serve')) {
      await newcomer.start(text.trim(), 'Latchkey is ready');
      return;
    }
    const output = newcomer.type(onFreePorts(text));
    if (!text.includes('npm test')) return;
    expect(Number(/(\d+) passing/.exec(output)?.[1])).to.be.above(300);
    expect(output).to.not.match(/failing|pending/);
    await startDatabase();
  };

  for (const block of blocks) {
    const shown = shownFileOf(block);
    if (shown !== undefined) {
      it(titleOf(block), () => {
        for (const file of companions[shown.file] ?? [shown.file]) newcomer.write(file);
        if (shown.file === 'latchkey.yaml') configure();
      });
    } else if (block.language === 'sh') it(titleOf(block), () => follow(block.text));
    else
      it(titleOf(block), async function () {
        await docker('image', 'inspect', image).catch(() => {
          process.stderr.write(
            `\nSKIPPED: the container of docs/extending.md; there is no image ${image}, or no Docker.\n`,
          );
          this.skip();
        });
        // Builders behind a registry of their own name it.
        const built = [`--network=host`, '--build-arg', 'NPM_CONFIG_REGISTRY', '--quiet'];
        newcomer.type(`cp ../latchkey-postgres/acme-*.tgz .`);
        writeFileSync(join(newcomer.place, 'Dockerfile'), block.text.replace('FROM latchkey', `FROM ${image}`));
        const id = await docker('build', ...built, newcomer.place);
        try {
          const said = await docker(
            'run',
            '--rm',
            '-e',
            'SHOP_SECRET=a',
            '-e',
            'POSTGRES_URL=postgres://127.0.0.1:1',
            id,
            'check',
          ).catch((error: { readonly stdout: string }) => error.stdout);
          expect(said).to.include('database (module): PostgreSQL: the server cannot be reached');
        } finally {
          await docker('rmi', '--force', id);
        }
      });
  }

  it('leads to the package of the example', () => {
    const read = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const written = read(join(newcomer.place, '../latchkey-postgres'));
    const example = read(fileURLToPath(new URL('../../examples/postgres-store', import.meta.url)));
    for (const member of ['name', 'version', 'type', 'exports', 'files', 'peerDependencies'])
      expect(written[member], member).to.deep.equal(example[member]);
    expect(written.scripts).to.include({ test: example.scripts.test, prepack: example.scripts.prepack });
    for (const member of ['dependencies', 'devDependencies'])
      expect(Object.keys(written[member]), member).to.have.members(Object.keys(example[member]));
  });
});
