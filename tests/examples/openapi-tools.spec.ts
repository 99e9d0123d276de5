import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { administrator, configurations } from '../process/openapi/configurations.ts';
import {
  type DescribedService,
  type Document,
  describedService,
  password,
  send,
} from '../process/openapi/described-service.ts';
import { commandsFor, example, generators, shell, textIn } from './generated-clients.ts';

const installTimeoutMs = 180_000;

/** A linter, which the test installs, in a fixed version, into a temporary folder: commands that a shell runs in it. */
const linters = [
  {
    name: 'Redocly',
    install: 'npm install --silent --no-audit --no-fund --ignore-scripts --prefix . @redocly/cli@2.77.0',
    run: 'node_modules/.bin/redocly lint openapi.json admin.json --extends=recommended --max-problems=20',
    refused: /\bwarning\b|\berror\b/i,
  },
  {
    name: 'Spectral',
    install: 'npm install --silent --no-audit --no-fund --ignore-scripts --prefix . @stoplight/spectral-cli@6.16.3',
    run: 'node_modules/.bin/spectral lint --fail-severity=hint -r rules.yaml openapi.json admin.json',
    refused: /\bwarning\b|\berror\b *[a-z]/i,
  },
] as const;

// openapi-generator warns that its support of OpenAPI 3.1 is new, and that its own documents lack some examples.
const accepted = /^.*(?:support is still in beta|ExamplesUtils|Ignoring complex example).*$/gm;

const usual = 'config/local.yaml';
const complete = 'every feature';
/** The mails in the folder of the installation. */
const outbox = (email: object | undefined) => ({ ...email, directory: 'outbox' });

const properties = { visits: 3, plan: 'trial', rating: 4.5, tags: ['early', 7], settings: { theme: 'dark' } };
/** What the programs print, but for the address. */
const printed = {
  accounts: {
    created: properties,
    read: properties,
    checked: 204,
    wrong: '401 wrong_password',
    updated: { ...properties, visits: 4, plan: 'pro' },
    patched: { ...properties, visits: 4, plan: 'free' },
    stale: '412 stale_user',
    verified: true,
    reset: false,
    recovery: 202,
    recovered: 204,
    pages: 3,
    hasTimes: true,
    afterwards: 404,
  },
  changes: { visits: 3, confirmed: 204, cancelled: 204, pages: 4, deleted: 200 },
  administration: {
    listed: ['administered@example.com'],
    read: 'administered@example.com',
    plan: 'paid',
    disabled: 'a test',
    enabled: true,
    set: 200,
    stale: '412 stale_user',
    absent: '404 user_not_found',
  },
};

describe('the OpenAPI documents and tools of others', function () {
  this.timeout(2 * installTimeoutMs);
  const services = new Map<string, DescribedService>();
  /** The documents of which clients are generated and compiled, but not called. */
  const others = new Map<string, Document>();
  let admin: Document;
  const folders: string[] = [];
  const folderWith = async (from: string, files: Readonly<Record<string, unknown>>): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-tools-'));
    folders.push(folder);
    if (from !== '') await cp(from, folder, { recursive: true });
    for (const [name, content] of Object.entries(files))
      await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    return folder;
  };

  /** What each tool is installed by. All at once: most of their time is that of the network. */
  const installed = new Map<string, Promise<{ readonly folder: string; readonly isInstalled: boolean }>>();
  const install = (name: string, command: string, folder: string) => {
    const done = shell(command, folder, installTimeoutMs).then(({ status }) => ({ folder, isInstalled: status === 0 }));
    installed.set(name, done);
  };

  before(async () => {
    for (const [name, blocks] of Object.entries(configurations)) {
      const own = name === usual ? { email: outbox(blocks.email) } : name === complete ? { users: { ids: true } } : {};
      const service = await describedService({ ...blocks, ...own });
      services.set(name, service);
      if (name !== usual && name !== complete) others.set(name, service.document);
    }
    const Authorization = `Basic ${btoa(`${administrator.application}:${administrator.secret}`)}`;
    const { url, serving, document } = services.get(complete) ?? expect.fail();
    const response = await fetch(`${serving.adminUrl}/admin/openapi.json`, { headers: { Authorization } });
    admin = JSON.parse(await response.text());
    const body = { email: { address: printed.administration.read }, password, plan: printed.administration.plan };
    expect((await send(url, 'POST', '/users', { body })).status).to.equal(201);
    const rules = 'extends: ["spectral:oas"]\n';
    for (const { name, install: command } of linters)
      install(
        name,
        command,
        await folderWith('', { 'openapi.json': document, 'admin.json': admin, 'rules.yaml': rules }),
      );
    for (const [name, { folder }] of Object.entries(generators)) {
      const root = await folderWith(example, {});
      install(name, commandsFor(name)[0] ?? '', join(root, folder));
    }
  });
  after(async () => {
    await Promise.all(installed.values());
    for (const { installation } of services.values()) await installation.dispose();
    for (const folder of folders) await rm(folder, { recursive: true });
  });

  for (const { name, run, refused } of linters)
    it(`are read by ${name} without a warning`, async function () {
      const { folder, isInstalled } = (await installed.get(name)) ?? expect.fail();
      if (!isInstalled) {
        process.stderr.write(`\nSKIPPED: ${name} could not be installed, so it did not read the OpenAPI documents.\n`);
        this.skip();
      }
      const { status, stdout, stderr } = await shell(run, folder, installTimeoutMs);
      expect(status, stdout + stderr).to.equal(0);
      expect(stdout + stderr).to.not.match(refused);
    });

  for (const [name, { written, compile, codeOf }] of Object.entries(generators))
    it(`give a client of ${name} that makes every call, and has every operation of every document, without a warning`, async function () {
      const { folder, isInstalled } = (await installed.get(name)) ?? expect.fail();
      const [, generate = '', run = ''] = commandsFor(name);
      expect(run).to.not.equal('');
      if (!isInstalled) {
        process.stderr.write(`\nSKIPPED: the tools for ${name} could not be installed, so no client was generated.\n`);
        this.skip();
      }
      const generated = async (document: Document, commands: string, service?: DescribedService): Promise<string> => {
        await rm(join(folder, written), { recursive: true, force: true });
        await writeFile(join(folder, '../openapi.json'), JSON.stringify(document));
        const { status, stdout, stderr } = await shell(`${generate}${commands}`, folder, installTimeoutMs, service);
        expect(status, stdout + stderr).to.equal(0);
        expect((stdout + stderr).replace(accepted, '')).to.not.match(/\bwarn(?:ing)?\b/i);
        const code = await textIn(join(folder, written));
        const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
        const missing = operations.filter(({ operationId }) => !code.includes(codeOf(operationId)));
        expect(missing.map(({ operationId }) => operationId)).to.deep.equal([]);
        return stdout;
      };
      const last = (stdout: string, index: number) => JSON.parse(stdout.trim().split('\n').at(index) ?? '');
      const changes = run.replaceAll('accounts', 'changes').replaceAll('Accounts', 'Changes');
      for (const [configuration, commands] of [
        [usual, run],
        [complete, `${run}${changes}`],
      ] as const) {
        const service = services.get(configuration) ?? expect.fail();
        const stdout = await generated(service.document, commands, service);
        if (configuration === complete) {
          const { pending, address, ...others } = last(stdout, -1);
          expect(others).to.deep.equal(printed.changes);
          expect(pending)
            .to.equal(address)
            .and.match(/^new\./);
        }
        const { deleted, ...others } = last(stdout, configuration === complete ? -2 : -1);
        expect(others, configuration).to.deep.equal(printed.accounts);
        expect(deleted).to.match(/@example\.com$/);
      }
      const administration = run.replaceAll('accounts', 'administration').replaceAll('Accounts', 'Administration');
      const stdout = await generated(admin, administration, services.get(complete));
      expect(last(stdout, -1)).to.deep.equal(printed.administration);
      for (const document of others.values()) await generated(document, compile);
    });
});
