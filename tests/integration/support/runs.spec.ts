import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { rejection } from '../../../sdk/contract/outcomes.ts';
import { engines } from '../../support/engines/engines.ts';
import { explanation, reportOf } from '../../support/engines/skipped-suites.ts';
import { eventually } from '../../support/eventually.ts';
import { closedPort } from '../../support/tcp-servers.ts';

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const mocha = pathOf('../../../node_modules/mocha/bin/mocha.js');
const endpointVariables = Object.values(engines).map(({ variable }) => variable);
const modes = { 'in one process': ['--no-parallel'], 'in two workers': ['--parallel', '--jobs', '2'] };

/** A Mocha run with exactly these endpoint variables. */
class Run {
  readonly process: ChildProcess;
  private readonly ended: Promise<unknown[]>;
  private readonly output: string;

  constructor(folder: string, args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
    const env: NodeJS.ProcessEnv = { ...process.env, ...variables };
    for (const variable of endpointVariables) if (!Object.hasOwn(variables, variable)) delete env[variable];
    this.output = join(folder, 'output');
    // One file for both streams, so that their order is preserved.
    const file = openSync(this.output, 'a');
    const options = ['--no-config', '--exit', '--require', pathOf('../../support/engines/global-setup.ts')];
    this.process = fork(mocha, [...options, ...args], { env, stdio: ['ignore', file, file, 'ipc'] });
    this.ended = once(this.process, 'close');
  }

  /** Resolves at the end of the run with its exit status and output. */
  async outcome(): Promise<{ status: unknown; output: string }> {
    const [status] = await this.ended;
    return { status, output: readFileSync(this.output, 'utf8') };
  }
}

describe('a test run', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-run-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  for (const [mode, options] of Object.entries(modes)) {
    describe(mode, () => {
      it('fails before its first test when endpoint variables are wrong, and does not print their values', async function () {
        this.timeout(60_000);
        const other = createServer((_request, response) => response.writeHead(404).end());
        await once(other.listen(0, '127.0.0.1'), 'listening');
        const address = other.address();
        const port = typeof address === 'object' ? address?.port : undefined;
        try {
          const { status, output } = await new Run(folder, [...options, pathOf('./engines.spec.ts')], {
            MONGODB_URI: 'mongodb://joe:secret-part@',
            DYNAMODB_ENDPOINT: `http://127.0.0.1:${await closedPort()}/secret-part`,
            AWS_ENDPOINT_URL: `http://127.0.0.1:${port}/secret-part`,
          }).outcome();
          expect(status).to.equal(1);
          expect(output).to.not.match(/the engines of the test run|passing|secret-part/);
          expect(output).to.include('MONGODB_URI is set, but mongodb does not respond there (MongoParseError)');
          expect(output).to.include('DYNAMODB_ENDPOINT is set, but dynamodb does not respond there (ECONNREFUSED)');
          expect(output).to.include(
            'AWS_ENDPOINT_URL is set, but aws does not respond there (something else responds)',
          );
        } finally {
          other.close();
        }
      });

      it('reports the skipped suites of all workers once, at the end', async function () {
        this.timeout(60_000);
        const helpers = new URL('../../support/engines/skipped-suites.ts', import.meta.url);
        for (const name of ['one', 'another']) {
          const hook = `function () { skipSuite(this, 'a tool is missing'); }`;
          const suite = `describe('${name}', () => { before(${hook}); it('is skipped'); });`;
          await writeFile(join(folder, `${name}.mjs`), `import { skipSuite } from '${helpers}';\n${suite}`);
        }
        const files = ['one', 'another'].map((name) => join(folder, `${name}.mjs`));
        const { status, output } = await new Run(folder, [...options, ...files], { REQUIRE_ENGINES: '' }).outcome();
        expect(status, output).to.equal(0);
        const [tests, ...reports] = output.split('\nSKIPPED: ');
        expect(tests).to.include('2 pending');
        expect(reports).to.deep.equal([
          'tests that need something missing did not run.\n  2 suites: a tool is missing\n',
        ]);
      });
    });
  }

  it('that is killed leaves no container behind', async function () {
    this.timeout(120_000);
    const run = new Run(folder, [pathOf('../../support/engines/hanging-suite.ts')]);
    const ended = run.outcome();
    const endpoint = await Promise.race([once(run.process, 'message').then(([told]) => String(told)), ended]);
    if (typeof endpoint !== 'string') {
      expect(endpoint.status, endpoint.output).to.equal(0);
      this.skip();
    }
    expect((await fetch(endpoint)).status).to.be.a('number');
    run.process.kill('SIGKILL');
    await ended;
    await eventually(() => rejection(fetch(endpoint)), 60_000);
  });
});

describe('the report of skipped suites', () => {
  it('shows how many suites were skipped, and why', () => {
    const missing = new Error('no Docker\nhere');
    const skipped = explanation(engines.mongodb, 'private', missing);
    expect(reportOf([skipped, explanation(engines.aws, 'shared', missing), skipped])).to.equal(`
SKIPPED: tests that need something missing did not run.
  1 suite: aws needs Docker, or AWS_ENDPOINT_URL (no Docker here)
  2 suites: mongodb needs Docker for a container of its own, despite MONGODB_URI (no Docker here)
`);
  });
});
