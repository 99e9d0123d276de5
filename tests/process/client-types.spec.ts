import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { problems } from '../../adapters/http/api/problems.ts';
import { startFullService } from '../../tools/docs/full-service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

// The generator compiles TypeScript, which takes long on a busy machine.
describe('the types of the client', function () {
  this.timeout(120_000);

  for (const file of ['openapi.ts', 'admin-openapi.ts'])
    it(`match the OpenAPI document in ${file}; \`npm run client:types\` updates them`, () => {
      const args = ['--import=./tools/typescript.js', 'tools/build/client-types.ts', '--print', file];
      const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
      expect(status, stderr).to.equal(0);
      expect(readFileSync(`${root}sdk/client/${file}`, 'utf8') === stdout, `${file} is stale`).to.equal(true);
    });

  it('include all problem codes of the service', async () => {
    const { url, stop } = await startFullService();
    try {
      const document = JSON.parse(await (await fetch(`${url}/openapi.json`)).text());
      // Secrets are resolved before the service starts.
      const atStart = ['secret_unknown', 'secrets_unavailable'];
      const onAdminPort = ['cross_site', 'misdirected_request', 'users_not_listed'];
      const codes = Object.keys(problems).filter((code) => ![...atStart, ...onAdminPort].includes(code));
      expect(document.components.schemas.Problem.properties.code.enum).to.have.members(codes);
    } finally {
      await stop();
    }
  });
});
