import { expect } from 'chai';
import { CallersProject } from './published.ts';

const start = `
  const { startLatchkey } = await import('latchkey/testing');
  const latchkey = await startLatchkey();
  const { user, system } = process.cpuUsage();
  console.log((user + system) / 1000);
  await latchkey.stop();`;

const use = `
import { createClient, type Outcome, type ProblemCode, type User } from 'latchkey/client';
import { startLatchkey, type LatchkeyConfiguration } from 'latchkey/testing';
import { LatchkeyContainer } from 'latchkey/testing/container';

const configuration: LatchkeyConfiguration = { passwordHash: { algorithm: 'argon2' }, operationTimeout: '5s' };
const { url, credentials } = await startLatchkey(configuration);
const client = createClient({ url, ...(credentials && { credentials }) });
const outcome: Outcome = await client.getUser({ email: 'jane@example.com', password: 'x' });
if (outcome.ok) {
  const user: User = outcome.user;
  const verified: boolean = user.email.verified;
  const plan: unknown = user.plan;
} else {
  const code: ProblemCode = outcome.problem.code;
  // @ts-expect-error A code that the service does not have.
  code === 'no_such_code';
  // @ts-expect-error A refusal has no user.
  outcome.user;
}
// @ts-expect-error A body without a password.
await client.createUser({ email: { address: 'jane@example.com' } });
// @ts-expect-error An option that the block does not have.
await startLatchkey({ properties: { allowed: [], allowSupersets: true } });
const container = await new LatchkeyContainer().withConfiguration(configuration).withStartupTimeout(1).start();
const containerUrl: string = container.getUrl();
`;

describe('latchkey/client and latchkey/testing as they are published', () => {
  let project: CallersProject;
  before(() => {
    project = new CallersProject();
  });
  after(() => project.dispose());

  it('start soon, and load no database, no cloud, no mail program and no containers', function () {
    this.timeout(30_000);
    const times = Array.from({ length: 3 }, () =>
      Number(project.node(['--input-type=module', '--eval', start]).stdout),
    );
    // Processor time with that of Node.js itself, because other programs share the machine.
    expect(Math.min(...times)).to.be.below(300);
    const { stderr } = project.node(['--input-type=module', '--eval', start], { NODE_DEBUG: 'esm,module' });
    const loaded = new Set([...stderr.matchAll(/node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//g)].map(([, name]) => name));
    for (const name of loaded) {
      expect(name).not.to.match(/^@aws-sdk|^@smithy|^mongodb$|^better-sqlite3$|^bcrypt$|^argon2$|^yaml$/);
      expect(name).not.to.match(/^nodemailer$|^jsonwebtoken$|^pino|^testcontainers$|^docker/);
    }
  });

  it('share one client, so that its errors are the same ones', () => {
    const source = `
      const { startLatchkey } = await import('latchkey/testing');
      const { createClient } = await import('latchkey/client');
      const latchkey = await startLatchkey();
      console.log(latchkey.client.constructor === createClient({ url: latchkey.url }).constructor);
      await latchkey.stop();`;
    expect(project.node(['--input-type=module', '--eval', source]).stdout).to.equal('true\n');
  });

  it('have types that hold in a strict project', function () {
    this.timeout(60_000);
    project.write('use.ts', use);
    project.compile('use.ts');
  });
});
