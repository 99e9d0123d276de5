import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { basic, Client } from '../../sdk/contract/http/client.ts';
import { SecretLeakDetector } from '../../sdk/contract/http/secret-leak-detector.ts';
import { skipSuite } from '../support/engines/skipped-suites.ts';
import { eventually } from '../support/eventually.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** The Compose plug-in of Docker, or docker-compose; undefined if neither is installed. */
const composeCommand = async (): Promise<readonly string[] | undefined> => {
  for (const command of [['docker', 'compose'], ['docker-compose']]) {
    const [program = '', ...rest] = command;
    if (
      await run(program, [...rest, 'version']).then(
        () => true,
        () => false,
      )
    )
      return command;
  }
  return undefined;
};

/** Whether an image is on this machine, or can be pulled. */
const isAvailable = (image: string): Promise<boolean> =>
  run('docker', ['image', 'inspect', image])
    .catch(() => run('docker', ['pull', '--quiet', image]))
    .then(
      () => true,
      () => false,
    );

/** The services of a Compose file, started under a unique project name. */
class Project {
  private readonly name = `latchkey-${randomUUID().slice(0, 8)}`;

  constructor(
    private readonly program: readonly string[],
    private readonly file: string,
    private readonly secret: string = randomUUID(),
  ) {}

  async compose(...args: readonly string[]): Promise<string> {
    const [program = '', ...rest] = [...this.program, '--project-name', this.name, '--file', this.file, ...args];
    // Port 0 is one that is free.
    const ports = { LATCHKEY_PORT: '0', LATCHKEY_ADMIN_PORT: '0' };
    const env = { ...process.env, LATCHKEY_WEB_APP_SECRET: this.secret, ...ports };
    return (await run(program, rest, { cwd: root, env })).stdout.trim();
  }

  /** The local address of a port of the service. */
  async url(port: 8080 | 8081): Promise<string> {
    const address = await this.compose('port', 'latchkey', String(port));
    expect(address).to.match(/^127\.0\.0\.1:/);
    return `http://${address}`;
  }

  /** Waits until the service is ready. Resolves with a client. */
  async client(): Promise<Client> {
    const client = new Client(await this.url(8080), basic('web-app', this.secret), new SecretLeakDetector());
    await eventually(() => client.postUser(), 30_000);
    return client;
  }
}

describe('the Compose files', () => {
  let program: readonly string[] = [];
  before(async function () {
    const found = await composeCommand();
    program = found ?? skipSuite(this, 'neither docker compose nor docker-compose is there');
  });

  for (const [file, database, image] of [
    ['compose.yaml', 'MongoDB', 'mongo:6.0'],
    ['compose.postgresql.yaml', 'PostgreSQL', 'postgres:17'],
    ['compose.dynamodb.yaml', 'DynamoDB', 'amazon/dynamodb-local:2.6.0'],
  ] as const) {
    it(`${file} starts the service with ${database}, and users survive a restart`, async function () {
      this.timeout(90_000);
      const project = new Project(program, file);
      if (!(await isAvailable(image))) skipSuite(this, `${file}: ${image} cannot be pulled`, 'REQUIRE_IMAGES');
      try {
        await project.compose('up', '--detach', '--no-build');
        const client = await project.client();
        const account = await client.postUser();
        const { json: user } = await client.read(account);
        for (const page of ['/healthcheck', '/outbox'])
          expect((await fetch((await project.url(8081)) + page)).status, page).to.equal(200);
        // By the service name, which other containers such as Prometheus use.
        const scrape = "fetch('http://latchkey:8081/metrics').then(({ status }) => console.log(status))";
        expect(await project.compose('exec', '-T', 'latchkey', 'node', '-e', scrape)).to.equal('200');
        await project.compose('restart', 'latchkey');
        expect((await (await project.client()).read(account)).json).to.deep.equal(user);
        const lines = (await project.compose('exec', '-T', 'latchkey', 'latchkey', 'check')).split('\n');
        expect(lines.some((line) => line.startsWith('ok    database'))).to.equal(true);
        // The service cannot know which ports are published, and to whom.
        const warnings = lines.filter((line) => line.startsWith('warn'));
        expect(warnings.filter((line) => !line.startsWith('warn  server.host accepts connections'))).to.deep.equal([]);
      } finally {
        await project.compose('down', '--volumes', '--timeout', '5');
      }
    });
  }

  it('are valid', async () => {
    for (const file of ['compose.yaml', 'compose.postgresql.yaml', 'compose.dynamodb.yaml'])
      expect(await new Project(program, file).compose('config', '--services')).to.include('latchkey');
  });

  it('refuse to start without a secret', async () => {
    const project = new Project(program, 'compose.yaml', '');
    expect(await project.compose('config').catch(({ stderr }) => stderr)).to.include('LATCHKEY_WEB_APP_SECRET');
  });
});
