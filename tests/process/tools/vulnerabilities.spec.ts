import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { answeringServer, closedPort } from '../../support/tcp-servers.ts';
import { Run } from '../run.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The query to OSV about one package. */
interface Query {
  readonly package: { readonly purl: string };
}

/** Runs the command against a server at a port of this computer. */
const check = async (port: number, environment: NodeJS.ProcessEnv = {}) => {
  const { REQUIRE_OSV: _, ...inherited } = process.env;
  const env = { ...inherited, OSV_URL: `http://127.0.0.1:${port}`, ...environment };
  const args = ['--import=./tools/typescript.js', 'tools/build/vulnerabilities.ts'];
  const run = new Run(spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] }));
  return { status: await run.ended, stdout: run.stdout, stderr: run.stderr };
};

/**
 * Runs the command against a stand-in for OSV that knows some vulnerabilities, by the package URL without its version.
 */
const checkKnowing = async (known: Readonly<Record<string, readonly string[]>>) => {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    expect(request.url).to.equal('/v1/querybatch');
    const purls = JSON.parse(body).queries.map((query: Query) => query.package.purl);
    expect(purls).to.have.length.at.most(1000);
    asked.push(...purls);
    const idsOf = (purl: string) => known[purl.replace(/@[^@]*$/, '')];
    const resultOf = (purl: string) => ({
      vulns: idsOf(purl)?.map((id) => ({ id, modified: '2026-01-01T00:00:00Z' })),
    });
    response.end(JSON.stringify({ results: purls.map(resultOf) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const run = await check(typeof address === 'object' && address !== null ? address.port : 0);
  server.close();
  return { ...run, asked };
};

describe('npm run check:vulnerabilities', function () {
  this.timeout(30_000);

  it('ends with 0 if no vulnerability of the shipped and locked packages is known', async () => {
    const { status, stderr, stdout, asked } = await checkKnowing({ 'pkg:npm/left-pad': ['GHSA-none-of-ours'] });
    expect(stderr).to.equal('');
    expect(stdout).to.match(/^vulnerabilities: \d+ packages, \d+ of them shipped, 0 vulnerable\n$/);
    expect(status).to.equal(0);

    const { components } = JSON.parse(readFileSync(`${root}dist/sbom.cdx.json`, 'utf8'));
    expect(asked).to.include.members(components.map(({ purl }: { purl: string }) => purl));
    const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'));
    expect(asked).to.include.members([
      `pkg:npm/mocha@${packages['node_modules/mocha'].version}`,
      `pkg:npm/%40swc/core@${packages['node_modules/@swc/core'].version}`,
    ]);
    expect(asked.join(), 'what is a part of the repository').to.not.match(/node-gyp@|latchkey/);
  });

  it('names known vulnerabilities and ends with 1', async () => {
    const { status, stderr } = await checkKnowing({
      'pkg:npm/koa': ['GHSA-one', 'CVE-2026-2'],
      'pkg:npm/mocha': ['GHSA-three'],
    });
    expect(status).to.equal(1);
    expect(stderr).to.match(
      /^pkg:npm\/koa@\S+ \(shipped\): GHSA-one, CVE-2026-2\npkg:npm\/mocha@\S+ \(development\): GHSA-three\n$/,
    );
  });

  it('prints NOT CHECKED in one line if OSV does not respond, and fails only with REQUIRE_OSV', async () => {
    const refusing = await answeringServer(403, 'Forbidden');
    const portal = await answeringServer(200, '<html>Log in</html>');
    try {
      for (const port of [await closedPort(), refusing.port, portal.port]) {
        const optional = await check(port);
        expect(optional.stderr).to.match(
          /^NOT CHECKED: known vulnerabilities; 127\.0\.0\.1:\d+ cannot be reached: .+\n$/,
        );
        expect(optional.stdout).to.equal('');
        expect(optional.status).to.equal(0);
      }
      expect((await check(refusing.port, { REQUIRE_OSV: '1' })).status).to.equal(1);
    } finally {
      await Promise.all([refusing.close(), portal.close()]);
    }
  });
});
