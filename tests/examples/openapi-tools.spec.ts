import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describedService } from '../process/openapi/described-service.ts';

const installTimeoutMs = 120_000;
const properties = { allowSubset: true, allowSuperset: true, allowed: [{ name: 'visits', type: 'integer' }] };

/** A tool of others, which the test installs, in a fixed version, into a temporary folder: commands that a shell runs in it. */
const tools = [
  {
    name: 'Redocly',
    install: 'npm install --silent --no-audit --no-fund --ignore-scripts --prefix . @redocly/cli@2.77.0',
    run: 'node_modules/.bin/redocly lint openapi.json --extends=recommended --max-problems=20',
    refused: /\bwarning\b|\berror\b/i,
    file: null,
  },
  {
    name: 'Spectral',
    install: 'npm install --silent --no-audit --no-fund --ignore-scripts --prefix . @stoplight/spectral-cli@6.16.3',
    run: 'node_modules/.bin/spectral lint --fail-severity=hint -r rules.yaml openapi.json',
    refused: /\bwarning\b|\berror\b *[a-z]/i,
    file: null,
  },
  {
    name: 'oapi-codegen (Go)',
    install: 'GOBIN="$PWD" go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2',
    run: './oapi-codegen -generate types,client -package latchkey -o client.go openapi.json',
    refused: /warning|error/i,
    file: { name: 'client.go', content: /type NewUser struct[^}]*AdditionalProperties +map\[string\]interface/ },
  },
  {
    name: 'openapi-python-client',
    install: 'python3 -m venv venv && venv/bin/pip install --quiet openapi-python-client==0.29.1',
    run: 'venv/bin/openapi-python-client generate --path openapi.json --meta none --output-path client --config hooks.yaml',
    refused: /warning|error/i,
    file: { name: 'client/models/new_user.py', content: /additional_properties/ },
  },
] as const;

describe('the OpenAPI document and tools of others', function () {
  this.timeout(installTimeoutMs + 60_000);
  let document = '';
  let folder = '';

  before(async () => {
    const service = await describedService({
      properties,
      openApi: { contact: 'Jane', contactEmail: 'jane@example.com' },
    });
    document = await (await fetch(`${service.url}/openapi.json`)).text();
    await service.installation.dispose();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-tools-'));
    await writeFile(join(folder, 'openapi.json'), document);
    await writeFile(join(folder, 'rules.yaml'), 'extends: ["spectral:oas"]\n');
    await writeFile(join(folder, 'hooks.yaml'), 'post_hooks: []\n');
  });
  afterEach(() => rm(folder, { recursive: true }));

  for (const { name, install, run, refused, file } of tools)
    it(`is read by ${name} without a warning`, async function () {
      const shell = (command: string) =>
        spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', timeout: installTimeoutMs });
      if (shell(install).status !== 0) {
        process.stderr.write(`\nSKIPPED: ${name} could not be installed, so it did not read the OpenAPI document.\n`);
        this.skip();
      }
      const { status, stdout, stderr } = shell(run);
      expect(status, stdout + stderr).to.equal(0);
      expect(stdout + stderr).to.not.match(refused);
      if (file !== null) expect(await readFile(join(folder, file.name), 'utf8')).to.match(file.content);
    });
});
