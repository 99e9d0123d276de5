import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { type DescribedService, describedService } from '../process/openapi/described-service.ts';

const installTimeoutMs = 180_000;
const example = fileURLToPath(new URL('../../examples/generated-clients/', import.meta.url));
const configuration = parse(await readFile(join(example, 'latchkey.yaml'), 'utf8'));
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

  const shell = (commands: string) =>
    spawnSync('sh', ['-ec', commands], {
      cwd: folder,
      encoding: 'utf8',
      timeout: installTimeoutMs,
      env: { ...process.env, LATCHKEY_URL: service.url, LATCHKEY_KEY: 'dev:development-only' },
    });

  before(async () => {
    const server = { ...configuration.server, host: '127.0.0.1', port: 0, adminPort: 0 };
    service = await describedService({ ...configuration, server });
    const Authorization = `Basic ${btoa('support:of the support team')}`;
    const response = await fetch(`${service.serving.adminUrl}/admin/openapi.json`, { headers: { Authorization } });
    admin = await response.text();
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

  for (const language of ['Java', 'Go', 'Python', 'TypeScript'])
    it(`give a client in ${language} that keeps custom properties, without a warning`, function () {
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
        updated: { ...properties, visits: 4, plan: 'pro' },
        verified: true,
        deleted: `${language.toLowerCase()}@example.com`,
        hasTimes: true,
        afterwards: 404,
      });
    });
});
