import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SESClient, VerifyEmailIdentityCommand } from '@aws-sdk/client-ses';
import { expect } from 'chai';
import { engine } from '../support/engines/index.ts';
import { withAwsCredentials } from '../support/environment.ts';
import { type Certificate, certificateFor, password, startMailServer, user } from '../support/mail-server.ts';
import { closedPort } from '../support/tcp-servers.ts';
import { eachWithInstallation } from './installation.ts';

const region = 'eu-north-1';
const canary = 'canary of a secret';

describe('latchkey with AWS services', () => {
  withAwsCredentials();
  const endpoint = engine('aws');
  const installation = eachWithInstallation();
  const name = `latchkey/${randomUUID()}`;
  before(async () => {
    const secrets = new SecretsManagerClient({ endpoint: endpoint(), region });
    await secrets.send(new CreateSecretCommand({ Name: name, SecretString: canary }));
    secrets.destroy();
    const mails = new SESClient({ endpoint: endpoint(), region });
    await mails.send(new VerifyEmailIdentityCommand({ EmailAddress: 'no-reply@cloud.test' }));
    mails.destroy();
  });

  const configure = (differences: Readonly<Record<string, unknown>> = {}, secret = name) =>
    installation().configure({
      secrets: { provider: 'secretsmanager', endpoint: endpoint(), region },
      email: { type: 'ses', endpoint: endpoint(), region, fromAddress: 'Latchkey <no-reply@cloud.test>' },
      auth: { keys: [{ application: 'dev', secret: `\${${secret}}` }] },
      ...differences,
    });

  it('is checked with a line for each part', async () => {
    await configure();
    const { status, stdout, stderr } = await installation().command(['check', 'latchkey.yaml']);
    expect(status).to.equal(0);
    expect(stderr, 'what the client of AWS would say by itself').to.equal('');
    expect(stdout).to.include(
      `ok    secrets (secretsmanager): secrets come from Secrets Manager at ${endpoint()} in ${region}\n`,
    );
    expect(stdout).to.include(
      `ok    email (ses): mails are sent from no-reply@cloud.test through SES at ${endpoint()} in ${region}\n`,
    );
    expect(stdout).to.not.include(canary);
  });

  it('is healthy with credentials that permit the configured secrets only', async () => {
    const strict = createServer(async (request, response) => {
      const { SecretId } = JSON.parse(await text(request));
      const permitted = SecretId === name;
      const content = permitted ? { Name: name, SecretString: canary } : { __type: 'AccessDeniedException' };
      response.writeHead(permitted ? 200 : 400, { 'Content-Type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(content));
    });
    const port = await new Promise<number>((resolve) => {
      strict.listen(0, '127.0.0.1', () => {
        const address = strict.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    try {
      const secrets = { provider: 'secretsmanager', endpoint: `http://127.0.0.1:${port}`, region };
      await configure({ secrets });
      expect((await installation().command(['check', 'latchkey.yaml'])).stdout).to.match(/^ok {4}secrets /m);
      await configure({ secrets }, 'latchkey/of-others');
      const { status, stderr } = await installation().command(['check', 'latchkey.yaml']);
      expect(status).to.equal(1);
      expect(stderr).to.match(
        /^latchkey: the secret latchkey\/of-others: .* do not permit secretsmanager:GetSecretValue\n$/,
      );
    } finally {
      strict.close();
    }
  });

  it('is checked with the failing part named', async () => {
    await configure({ email: { type: 'ses', endpoint: endpoint(), region, fromAddress: 'other@cloud.test' } });
    const { status, stdout } = await installation().command(['check', 'latchkey.yaml']);
    expect(status).to.equal(1);
    expect(stdout).to.match(/^FAIL {2}email \(ses\): .*unverified sender: neither other@cloud\.test nor its domain/m);
  });

  for (const command of ['serve', 'check']) {
    it(`ends with 2 on ${command} when a secret does not exist, and names its option`, async () => {
      await configure({}, 'latchkey/nobody');
      const { status, stderr } = await installation().command([command, 'latchkey.yaml']);
      expect(status).to.equal(2);
      expect(stderr).to.match(
        /^ {2}line \d+: auth\.keys\[0\]\.secret: the secret latchkey\/nobody does not exist in Secrets Manager at /m,
      );
    });

    it(`ends with 1 on ${command} when Secrets Manager is unreachable`, async () => {
      const dead = `http://127.0.0.1:${await closedPort()}`;
      await configure({
        secrets: { provider: 'secretsmanager', endpoint: dead, region, maxRetries: 1, retryDelaySeconds: 0.1 },
      });
      const { status, stderr } = await installation().command([command, 'latchkey.yaml']);
      expect(status).to.equal(1);
      expect(stderr).to.include(
        `latchkey: the secret ${name}: Secrets Manager at ${dead} in ${region}: unreachable (ECONNREFUSED)\n`,
      );
    });
  }
});

describe('latchkey with a mail server', () => {
  const installation = eachWithInstallation();
  let certificate: Certificate;
  before(async () => {
    certificate = await certificateFor('localhost');
  });
  after(() => certificate.remove());

  it('is checked, without printing the password', async () => {
    const server = await startMailServer(certificate);
    try {
      for (const [secret, line] of [
        [password, `ok    email (smtp): mails are sent through the mail server localhost:${server.port}\n`],
        [
          canary,
          `FAIL  email (smtp): mail server localhost:${server.port}: authentication was refused: user or password is wrong (535)\n`,
        ],
      ] as const) {
        const options = {
          host: 'localhost',
          port: server.port,
          user,
          password: '${MAIL_PASSWORD}',
          fromAddress: 'a@b.test',
        };
        await installation().configure({ email: { type: 'smtp', ...options } });
        const { status, stdout, stderr } = await installation().command(['check', 'latchkey.yaml'], {
          MAIL_PASSWORD: secret,
        });
        expect(stdout).to.include(line);
        expect(status).to.equal(line.startsWith('ok') ? 0 : 1);
        expect(stdout + stderr).to.not.include(secret);
      }
      expect(await server.mails()).to.deep.equal([]);
    } finally {
      await server.close();
    }
  });
});
