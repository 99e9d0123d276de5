import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { fencedBlocksOf } from '../docs/fenced-blocks.ts';
import { Installation, type Serving } from '../process/installation.ts';
import { Run } from '../process/run.ts';
import { closedPort } from '../support/tcp-servers.ts';

const root = new URL('../..', import.meta.url).pathname;
const sessionsYaml = fencedBlocksOf('concepts.md').find(({ text }) => text.startsWith('# sessions.yaml'))?.text ?? '';
const secret = 'a secret of the shop, for tests';
const email = 'jane+doe@example.com';

/** The programs in examples/sessions: how their packages are installed, and how they are started. */
const programs = [
  {
    file: 'express.mjs',
    install: ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', 'express', 'express-session', root],
    start: () => [process.execPath, 'express.mjs'],
  },
  {
    file: 'shop.py',
    install: ['python3', '-m', 'pip', 'install', '--quiet', '--target', 'packages', 'flask'],
    start: (port: string) => ['python3', '-m', 'flask', '--app', 'shop', 'run', '--port', port],
  },
] as const;

const textOf = (file: string): string =>
  readFileSync(new URL(`../../examples/sessions/${file}`, import.meta.url), 'utf8');

describe('the sessions of docs/concepts.md', function () {
  this.timeout(120_000);
  let installation: Installation;
  let service: Serving;
  const runs: Run[] = [];
  before(async () => {
    installation = await Installation.create();
    await installation.configure({
      ...parse(sessionsYaml),
      server: { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'http://127.0.0.1' },
    });
    service = await installation.serve({ SHOP_SECRET: secret });
  });
  afterEach(async () => {
    for (const { child, ended } of runs.splice(0)) {
      child.kill();
      await ended;
    }
  });
  after(() => installation.dispose());

  const call = async (method: string, path: string, body: object): Promise<number> => {
    const headers = {
      Authorization: `Basic ${Buffer.from(`shop:${secret}`).toString('base64')}`,
      'Content-Type': 'application/json',
    };
    return (await fetch(`${service.url}${path}`, { method, headers, body: JSON.stringify(body) })).status;
  };

  /** A form that is posted to /sign-in. */
  const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}/sign-in`, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });

  for (const { file, install, start } of programs)
    describe(`in ${file}`, () => {
      before(async function () {
        const [command, ...args] = install;
        if (spawnSync(command, ['--version']).error !== undefined) {
          console.warn(`SKIPPED: ${file} of docs/concepts.md, because ${command} is not installed`);
          this.skip();
        }
        await installation.write(file, textOf(file));
        const installed = spawnSync(command, args, { cwd: installation.folder, encoding: 'utf8' });
        expect(installed.status, installed.stderr).to.equal(0);
      });
      beforeEach(async () => {
        await call('DELETE', `/users?email=${encodeURIComponent(email)}`, {});
        expect(await call('POST', '/users', { email: { address: email }, password: 'first' })).to.equal(201);
      });

      /** Starts the program. */
      const started = async (environment: NodeJS.ProcessEnv = {}): Promise<{ url: string; run: Run }> => {
        const port = String(await closedPort());
        const [program = '', ...options]: readonly string[] = start(port);
        const env = {
          ...process.env,
          LATCHKEY_URL: service.url,
          SHOP_SECRET: secret,
          SESSION_SECRET: 'for tests',
          PORT: port,
          PYTHONPATH: 'packages',
          PYTHONUNBUFFERED: '1',
          ...environment,
        };
        const run = new Run(spawn(program, options, { cwd: installation.folder, env }));
        runs.push(run);
        await run.until(() => /on \d+|Running on/.test(run.stdout + run.stderr));
        return { url: `http://127.0.0.1:${port}`, run };
      };

      it('begin with the right password, and end when it changes elsewhere', async () => {
        const { url } = await started();
        const signIn = async (password: string): Promise<string | undefined> => {
          const response = await post(url, { email, password });
          return response.status === 302 ? response.headers.get('set-cookie')?.split(';')[0] : undefined;
        };
        const home = async (cookie = ''): Promise<string> => {
          const response = await fetch(url, { headers: { cookie } });
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

      it('go on when the address changes, also if another user gets the former one', async () => {
        const { url } = await started();
        const response = await post(url, { email, password: 'first' });
        const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
        const moved = `moved.${file}@example.com`;
        const user = `/users?email=${encodeURIComponent(email)}`;
        expect(await call('PATCH', user, { email: { address: moved } })).to.equal(200);
        expect(await call('POST', '/users', { email: { address: email }, password: 'other' })).to.equal(201);
        expect(await (await fetch(url, { headers: { cookie } })).text()).to.equal(`Signed in as ${moved}`);
        expect(await call('DELETE', `/users?email=${encodeURIComponent(moved)}`, {})).to.equal(200);
      });

      it('say that a password is wrong only if it is', async () => {
        const { url } = await started();
        const answerTo = async (fields: Record<string, string>): Promise<readonly unknown[]> => {
          const response = await post(url, fields);
          return [response.status, await response.text()];
        };
        const wrong = [401, 'The address or the password is wrong.'];
        expect(await answerTo({ email, password: 'wrong' })).to.deep.equal(wrong);
        expect(await answerTo({ email: 'nobody@example.com', password: 'first' })).to.deep.equal(wrong);
        for (const fields of [
          { email: 'jane', password: 'first' },
          { email, password: '' },
        ])
          expect(await answerTo(fields)).to.deep.equal([400, 'Enter an address and a password.']);
      });

      it('answer 503 if Latchkey is out of reach, and 500 with a reason in the log if it refuses the key', async () => {
        const fields = { email, password: 'first' };
        const lost = await started({ LATCHKEY_URL: `http://127.0.0.1:${await closedPort()}` });
        const response = await post(lost.url, fields);
        expect([response.status, await response.text()]).to.satisfy(
          ([status, text]: readonly [number, string]) => status === 503 && text.includes('Try again later.'),
        );
        const mistaken = await started({ SHOP_SECRET: 'the wrong key' });
        expect((await post(mistaken.url, fields)).status).to.equal(500);
        await mistaken.run.until(() => mistaken.run.stderr.includes('client_unauthorized'));
      });

      it('answer 503 after too many wrong passwords', async () => {
        const { url } = await started();
        const guessed = { email: 'guessed@example.com', password: 'wrong' };
        const statuses: number[] = [];
        for (let attempt = 0; attempt < 11; attempt++) statuses.push((await post(url, guessed)).status);
        expect(statuses.at(-1)).to.equal(503);
      });

      it('refuse forms of other sites', async () => {
        const { url } = await started();
        const statusWith = async (headers: Record<string, string>) =>
          (await post(url, { email, password: 'first' }, headers)).status;
        expect(await statusWith({ Origin: 'https://evil.example' })).to.equal(403);
        expect(await statusWith({ Origin: 'null' })).to.equal(403);
        expect(await statusWith({ 'Sec-Fetch-Site': 'same-site', Origin: url })).to.equal(403);
        expect(await statusWith({ Origin: url })).to.equal(302);
        expect(await statusWith({ 'Sec-Fetch-Site': 'same-origin', Origin: 'https://proxied.example' })).to.equal(302);
      });
    });
});
