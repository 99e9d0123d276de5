import { spawnSync } from 'node:child_process';
import { appendFile, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { problems } from '../../adapters/http/api/problems.ts';
import { fullServiceAdministrator, startFullService } from '../../tools/docs/full-service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

// The generator compiles TypeScript, which takes long on a busy machine.
describe('the types of the client', function () {
  this.timeout(120_000);

  it('are generated from the sources at hand, and again only after a change of these', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-client-types-'));
    const generate = async (): Promise<readonly [service: string, administration: string]> => {
      const args = ['--import=./tools/typescript.js', 'tools/build/client-types.ts'];
      const { stderr, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
      expect(status, stderr).to.equal(0);
      const written = (file: string) => readFile(join(folder, 'sdk/client', file), 'utf8');
      return [await written('openapi.ts'), await written('admin-openapi.ts')];
    };
    try {
      for (const part of ['adapters', 'application', 'bootstrap', 'domain', 'sdk', 'tools'])
        await cp(join(root, part), join(folder, part), { recursive: true });
      for (const file of ['package.json', 'package-lock.json']) await cp(join(root, file), join(folder, file));
      await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));

      const unchanged = await generate();
      await appendFile(join(folder, 'sdk/client/openapi.ts'), '// Not generated again.\n');
      expect((await generate())[0]).to.equal(`${unchanged[0]}// Not generated again.\n`);

      const route = join(folder, 'adapters/http/api/accounts/user-routes.ts');
      const source = await readFile(route, 'utf8');
      expect(source).to.include("'Read a user'");
      await writeFile(route, source.replace("'Read a user'", "'Look at a user'"));
      const [service] = await generate();
      expect(service).to.include('* Look at a user\n').and.not.include('* Read a user\n');
      expect(service.split('\n')[0]).not.to.equal(unchanged[0].split('\n')[0]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('include all problem codes of the service', async () => {
    const { url, adminUrl, stop } = await startFullService();
    const { application, secret } = fullServiceAdministrator;
    const headers = { Authorization: `Basic ${btoa(`${application}:${secret}`)}` };
    const codesIn = async (document: string): Promise<readonly string[]> =>
      JSON.parse(await (await fetch(document, { headers })).text()).components.schemas.ProblemCode.enum;
    try {
      // Each document leaves out what only the other one's operations refuse.
      const codes = [...(await codesIn(`${url}/openapi.json`)), ...(await codesIn(`${adminUrl}/admin/openapi.json`))];
      expect([...new Set(codes)]).to.have.members(Object.keys(problems));
    } finally {
      await stop();
    }
  });
});
