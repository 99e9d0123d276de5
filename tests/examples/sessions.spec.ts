import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { fencedBlocksOf } from '../docs/fenced-blocks.ts';
import { Installation, type Serving } from '../process/installation.ts';
import { Run } from '../process/run.ts';
import { closedPort } from '../support/tcp-servers.ts';

const root = new URL('../..', import.meta.url).pathname;
const expressProgram = fencedBlocksOf('concepts.md').find(({ language }) => language === 'js')?.text ?? '';
const secret = 'a secret of the shop, for tests';
const email = 'jane+doe@example.com';

/** The programs of docs/concepts.md, in the page or in examples/sessions: how their packages are installed, and how they are started. */
const programs = [
  {
    text: expressProgram,
    file: 'express.mjs',
    install: ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', 'express', 'express-session', root],
    start: () => [process.execPath, 'express.mjs'],
  },
  {
    text: readFileSync(new URL('../../examples/sessions/shop.py', import.meta.url), 'utf8'),
    file: 'shop.py',
    install: ['python3', '-m', 'pip', 'install', '--quiet', '--target', 'packages', 'flask'],
    start: (port: string) => ['python3', '-m', 'flask', '--app', 'shop', 'run', '--port', port],
  },
] as const;

describe('the sessions of docs/concepts.md', function () {
  this.timeout(120_000);
  let installation: Installation;
  let service: Serving;
  let run: Run | undefined;
  before(async () => {
    installation = await Installation.create();
    await installation.configure({
      recovery: {},
      passwordHash: { algorithm: 'sha256', serverSideHash: true, headerCheck: false },
      throttle: { clientHeader: 'X-Client-Address' },
      server: { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'http://127.0.0.1' },
      auth: { keys: [{ application: 'shop', secret }] },
    });
    service = await installation.serve();
  });
  afterEach(async () => {
    run?.child.kill();
    await run?.ended;
  });
  after(() => installation.dispose());

  const call = async (method: string, path: string, body: object): Promise<number> => {
    const headers = {
      Authorization: `Basic ${Buffer.from(`shop:${secret}`).toString('base64')}`,
      'Content-Type': 'application/json',
    };
    return (await fetch(`${service.url}${path}`, { method, headers, body: JSON.stringify(body) })).status;
  };

  for (const { text, file, install, start } of programs)
    it(`in ${file} begin with the right password, and end when it changes elsewhere`, async function () {
      const [command, ...args] = install;
      if (spawnSync(command, ['--version']).error !== undefined) {
        console.warn(`SKIPPED: ${file} of docs/concepts.md, because ${command} is not installed`);
        this.skip();
      }
      const { folder } = installation;
      await installation.write(file, text);
      const installed = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
      expect(installed.status, installed.stderr).to.equal(0);
      await call('DELETE', `/users?email=${encodeURIComponent(email)}`, {});
      expect(await call('POST', '/users', { email: { address: email }, password: 'first' })).to.equal(201);

      const port = String(await closedPort());
      const [program = '', ...options]: readonly string[] = start(port);
      const environment = {
        ...process.env,
        LATCHKEY_URL: service.url,
        SHOP_SECRET: secret,
        SESSION_SECRET: 'for tests',
        PORT: port,
        PYTHONPATH: 'packages',
        PYTHONUNBUFFERED: '1',
      };
      const started = new Run(spawn(program, options, { cwd: folder, env: environment }));
      run = started;
      await started.until(() => /on \d+|Running on/.test(started.stdout + started.stderr));

      const signIn = async (password: string): Promise<string | undefined> => {
        const form = new URLSearchParams({ email, password });
        const response = await fetch(`http://127.0.0.1:${port}/sign-in`, {
          method: 'POST',
          body: form,
          redirect: 'manual',
        });
        return response.status === 302 ? response.headers.get('set-cookie')?.split(';')[0] : undefined;
      };
      const home = async (cookie = ''): Promise<string> => {
        const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { cookie } });
        return response.ok ? await response.text() : String(response.status);
      };
      expect(await home()).to.equal('401');
      expect(await signIn('wrong')).to.equal(undefined);
      const [one, other] = [await signIn('first'), await signIn('first')];
      expect(await home(one)).to.equal(`Signed in as ${email}`);
      expect(await call('PATCH', `/users?email=${encodeURIComponent(email)}`, { password: 'second' })).to.equal(200);
      expect([await home(one), await home(other)]).to.deep.equal(['401', '401']);
      expect(await home(await signIn('second'))).to.equal(`Signed in as ${email}`);
    });
});
