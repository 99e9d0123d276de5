import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { configurations, everything } from '../process/openapi/configurations.ts';
import { type DescribedService, type Document, describedService } from '../process/openapi/described-service.ts';

const installTimeoutMs = 180_000;
const example = fileURLToPath(new URL('../../examples/generated-clients/', import.meta.url));
const readme = await readFile(join(example, 'README.md'), 'utf8');

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

const words = (operation: string): string => operation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What a generator writes, how that is compiled, and what it contains for an operation. */
const generators = {
  Java: {
    written: 'java',
    compile: "javac -cp 'lib/*' -d classes $(find java/src/main -name '*.java')",
    codeOf: (operation: string) => ` ${operation}WithHttpInfo(`,
  },
  Go: {
    written: 'latchkey',
    compile: 'go build ./latchkey',
    codeOf: (operation: string) => `WithResponses) ${operation[0]?.toUpperCase()}${operation.slice(1)}With`,
  },
  Python: {
    written: 'client',
    compile: `venv/bin/python -c "from importlib import import_module as load; from pkgutil import walk_packages
for module in walk_packages(['client'], 'client.'): load(module.name)"`,
    codeOf: (operation: string) => `/${words(operation)}.py`,
  },
  TypeScript: {
    written: 'openapi.d.ts',
    compile: 'node_modules/.bin/tsc --noEmit --strict --typeRoots none openapi.d.ts',
    codeOf: (operation: string) => `    ${operation}: {`,
  },
} as const;

/** The paths and the content of a file, or of all files in a folder. */
const textIn = async (path: string): Promise<string> => {
  if ((await stat(path)).isFile()) return readFile(path, 'utf8');
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return (await Promise.all(files.map(async (file) => `${file}\n${await readFile(file, 'latin1')}`))).join('\n');
};

/** The commands of the example in a language: how its tools are installed, and how they run. */
const commandsFor = (language: string): readonly string[] => {
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${language}\n`)) ?? '';
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands = '']) => commands);
};

// openapi-generator warns that its support of OpenAPI 3.1 is new, and that its own documents lack some examples.
const accepted = /^.*(?:support is still in beta|ExamplesUtils|Ignoring complex example).*$/gm;

describe('the OpenAPI documents and tools of others', function () {
  this.timeout(2 * installTimeoutMs);
  let service: DescribedService;
  let admin = '';
  let folder = '';
  /** The documents of which clients are generated and compiled, but not called. */
  const others = new Map<string, Document>();

  const shell = (commands: string) =>
    spawnSync('sh', ['-ec', commands], {
      cwd: folder,
      encoding: 'utf8',
      timeout: installTimeoutMs,
      env: {
        ...process.env,
        LATCHKEY_URL: service.url,
        LATCHKEY_KEY: 'dev:development-only',
        // Halves the time of programs that run for a few seconds.
        JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1',
      },
    });

  before(async () => {
    for (const [name, blocks] of Object.entries(configurations).filter(([name]) => name !== 'every feature')) {
      const other = await describedService(blocks);
      others.set(name, other.document);
      await other.installation.dispose();
    }
    const server = { ...everything.server, host: '127.0.0.1', port: 0, adminPort: 0 };
    service = await describedService({ ...everything, server });
    const Authorization = `Basic ${btoa('support:of the support team')}`;
    const response = await fetch(`${service.serving.adminUrl}/admin/openapi.json`, { headers: { Authorization } });
    admin = await response.text();
    others.set('the administration', JSON.parse(admin));
  });
  after(() => service.installation.dispose());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-tools-'));
    await cp(example, folder, { recursive: true });
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(service.document));
    await writeFile(join(folder, 'admin.json'), admin);
    await writeFile(join(folder, 'rules.yaml'), 'extends: ["spectral:oas"]\n');
  });
  afterEach(() => rm(folder, { recursive: true }));

  for (const { name, install, run, refused } of linters)
    it(`are read by ${name} without a warning`, function () {
      if (shell(install).status !== 0) {
        process.stderr.write(`\nSKIPPED: ${name} could not be installed, so it did not read the OpenAPI documents.\n`);
        this.skip();
      }
      const { status, stdout, stderr } = shell(run);
      expect(status, stdout + stderr).to.equal(0);
      expect(stdout + stderr).to.not.match(refused);
    });

  for (const [language, { written, compile, codeOf }] of Object.entries(generators))
    it(`give a client in ${language} that keeps custom properties, and has every operation of every document, without a warning`, async function () {
      const [install = '', run = ''] = commandsFor(language);
      expect(run).to.not.equal('');
      if (shell(install).status !== 0) {
        process.stderr.write(
          `\nSKIPPED: the tools for ${language} could not be installed, so no client was generated.\n`,
        );
        this.skip();
      }
      const { status, stdout, stderr } = shell(run);
      expect(status, stdout + stderr).to.equal(0);
      expect((stdout + stderr).replace(accepted, '')).to.not.match(/\bwarn(?:ing)?\b/i);
      const properties = { visits: 3, plan: 'trial', rating: 4.5, tags: ['early', 7], settings: { theme: 'dark' } };
      expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).to.deep.equal({
        created: properties,
        read: properties,
        checked: 204,
        wrong: '401 wrong_password',
        updated: { ...properties, visits: 4, plan: 'pro' },
        patched: { ...properties, visits: 4, plan: 'free' },
        recovery: 202,
        verified: true,
        deleted: `${language.toLowerCase()}@example.com`,
        hasTimes: true,
        afterwards: 404,
      });
      // Up to the command that reads the document.
      const generate = /^[\s\S]*openapi\.json(?:.*\\\n)*.*\n/.exec(run)?.[0] ?? '';
      for (const [name, document] of others) {
        await rm(join(folder, written), { recursive: true });
        await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
        const generated = shell(`${generate}${compile}`);
        const output = generated.stdout + generated.stderr;
        expect(generated.status, `${name}: ${output}`).to.equal(0);
        expect(output.replace(accepted, ''), name).to.not.match(/\bwarn(?:ing)?\b/i);
        const code = await textIn(join(folder, written));
        const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
        const missing = operations.filter(({ operationId }) => !code.includes(codeOf(operationId)));
        expect(
          missing.map(({ operationId }) => operationId),
          name,
        ).to.deep.equal([]);
      }
    });
});
