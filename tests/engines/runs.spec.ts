import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { eventually } from '../recovery.ts';
import { rejection } from '../rejection.ts';
import { closedPort } from '../silent-server.ts';
import { engines } from './engines.ts';
import { explanation, SkippedSuites } from './skipped-suites.ts';

const mocha = fileURLToPath(new URL('../../node_modules/mocha/bin/mocha.js', import.meta.url));
const given = Object.values(engines).map(({ variable }) => variable);

/** Starts a run of one file of tests, with no endpoints but these. */
const run = (file: string, endpoints: Readonly<Record<string, string>> = {}): ChildProcess => {
  const env = { ...process.env, ...endpoints };
  for (const variable of given) if (!Object.hasOwn(endpoints, variable)) delete env[variable];
  const args = ['--no-config', '--exit', fileURLToPath(new URL(file, import.meta.url))];
  return fork(mocha, args, { env, silent: true });
};

/** What a run wrote, and its exit status, once it has ended. */
const outcome = async (child: ChildProcess): Promise<{ status: unknown; output: string }> => {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text));
  const [status] = await once(child, 'close');
  return { status, output };
};

describe('a run whose engines are not to be had', () => {
  it('fails before its first test when endpoints that were given are dead, and names no endpoint', async function () {
    this.timeout(30_000);
    const other = createServer((_request, response) => response.writeHead(404).end());
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    try {
      const { status, output } = await outcome(
        run('./engines.spec.ts', {
          MONGODB_URI: 'mongodb://joe:canary@',
          DYNAMODB_ENDPOINT: `http://127.0.0.1:${await closedPort()}/canary`,
          AWS_ENDPOINT_URL: `http://127.0.0.1:${port}/canary`,
        }),
      );
      expect(status).to.equal(1);
      expect(output).to.include('0 passing').and.include('1 failing').and.not.include('canary');
      expect(output).to.include('MONGODB_URI is set, but no mongodb answers there (MongoParseError)');
      expect(output).to.include('DYNAMODB_ENDPOINT is set, but no dynamodb answers there (ECONNREFUSED)');
      expect(output).to.include('AWS_ENDPOINT_URL is set, but no aws answers there (something else answers)');
    } finally {
      other.close();
    }
  });

  it('says last how many suites did not run, and what would help each', () => {
    const skipped = new SkippedSuites();
    const missing = new Error('no Docker\nhere');
    expect(skipped.add(explanation(engines.mongodb, 'private', missing))).to.equal(true);
    expect(skipped.add(explanation(engines.mongodb, 'private', missing))).to.equal(false);
    expect(skipped.add(explanation(engines.aws, 'shared', missing))).to.equal(false);
    expect(skipped.report()).to.equal(`
SKIPPED: tests that need a real engine did not run.
  1 suite: aws needs Docker, or AWS_ENDPOINT_URL (no Docker here)
  2 suites: mongodb needs a container of its own, and so Docker; MONGODB_URI doesn't do for it (no Docker here)
`);
  });
});

describe('a run that is killed', () => {
  it('leaves no container', async function () {
    this.timeout(120_000);
    const child = run('./waiting-suite.ts');
    const ended = outcome(child);
    const endpoint = await Promise.race([once(child, 'message').then(([told]) => String(told)), ended]);
    if (typeof endpoint !== 'string') {
      expect(endpoint.status, endpoint.output).to.equal(0);
      this.skip();
    }
    expect((await fetch(endpoint)).status).to.be.a('number');
    child.kill('SIGKILL');
    await ended;
    await eventually(() => rejection(fetch(endpoint)), 60_000);
  });
});
