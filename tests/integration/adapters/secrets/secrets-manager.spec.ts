import { randomUUID } from 'node:crypto';
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import { problemsOf } from '../../../../adapters/kit/option-block.ts';
import { secretsManager } from '../../../../adapters/secrets/secrets-manager.ts';
import type { Secrets } from '../../../../application/ports/secrets.ts';
import { faultOf } from '../../../../sdk/contract/outcomes.ts';
import { secretsContract } from '../../../../sdk/contract/secrets.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { engine } from '../../../support/engines/index.ts';
import { withAwsCredentials } from '../../../support/environment.ts';
import {
  answeringServer,
  closedPort,
  resettingServer,
  silentServer,
  type TestServer,
} from '../../../support/tcp-servers.ts';

// No other suite uses the secret names of the contract.
const region = 'eu-central-1';

const openAt = (endpoint: string, options: Readonly<Record<string, unknown>> = {}): Promise<Secrets> => {
  const decoded = secretsManager.configuration.decode({ endpoint, region, ...options });
  if (!isRight(decoded)) throw new TypeError('the options of the test are wrong');
  return secretsManager.open(decoded.right, silentContext);
};

const put = async (client: SecretsManagerClient, SecretId: string, SecretString: string): Promise<void> => {
  try {
    await client.send(new CreateSecretCommand({ Name: SecretId, SecretString }));
  } catch (error) {
    if (!(error instanceof ResourceExistsException)) throw error;
    await client.send(new PutSecretValueCommand({ SecretId, SecretString }));
  }
};

describe('Secrets Manager', () => {
  withAwsCredentials();
  const endpoint = engine('aws');
  let client: SecretsManagerClient;
  let secrets: Secrets;
  before(async () => {
    client = new SecretsManagerClient({ endpoint: endpoint(), region });
    secrets = await openAt(endpoint());
  });
  after(async () => {
    client?.destroy();
    await secrets?.close();
  });

  secretsContract('Secrets Manager', async () => ({
    secrets: await openAt(endpoint()),
    store: (name, value) => put(client, name, value),
    dispose: async () => undefined,
  }));

  it('finds a secret by its name and by its ARN', async () => {
    const Name = `latchkey/${randomUUID()}/mongo.uri@main`;
    const { ARN = '' } = await client.send(new CreateSecretCommand({ Name, SecretString: 'swordfish' }));
    expect(await secrets.get(Name)).to.equal('swordfish');
    expect(await secrets.get(ARN)).to.equal('swordfish');
  });

  it('reads a binary secret that is UTF-8', async () => {
    const Name = randomUUID();
    await client.send(new CreateSecretCommand({ Name, SecretBinary: Buffer.from('\u{FEFF}Grüße 😀\n') }));
    expect(await secrets.get(Name)).to.equal('\u{FEFF}Grüße 😀\n');
  });

  it('rejects a binary secret that is not UTF-8, without its bytes', async () => {
    const Name = randomUUID();
    await client.send(new CreateSecretCommand({ Name, SecretBinary: Buffer.from('confidential\xff', 'latin1') }));
    const { code, message } = await faultOf(secrets.get(Name));
    expect(code).to.equal('secret_unknown');
    expect(message).to.include(`the secret ${Name} is not text`).and.not.include('confidential');
  });

  it('rejects a deleted secret', async () => {
    const Name = randomUUID();
    await client.send(new CreateSecretCommand({ Name, SecretString: 'confidential' }));
    await client.send(new DeleteSecretCommand({ SecretId: Name }));
    const { code, message } = await faultOf(secrets.get(Name));
    expect(code).to.equal('secret_unknown');
    expect(message).to.include(Name).and.include('marked for deletion').and.not.include('confidential');
  });

  it('checks that the given secret can be read', async () => {
    const Name = randomUUID();
    await client.send(new CreateSecretCommand({ Name, SecretString: 'confidential' }));
    const line = `secrets come from Secrets Manager at ${endpoint()} in ${region}`;
    expect(await secrets.check()).to.equal(line);
    expect(await secrets.check(Name)).to.equal(line);
    const { code, message } = await faultOf(secrets.check(randomUUID()));
    expect(code).to.equal('secret_unknown');
    expect(message).to.include('does not exist in Secrets Manager');
  });

  it('names the region in which a secret does not exist', async () => {
    const Name = randomUUID();
    await client.send(new CreateSecretCommand({ Name, SecretString: 'confidential' }));
    const elsewhere = await openAt(endpoint(), { region: 'us-west-2', maxRetries: 5, retryDelaySeconds: 60 });
    expect((await faultOf(elsewhere.get(Name))).message).to.equal(
      `the secret ${Name} does not exist in Secrets Manager at ${endpoint()} in us-west-2`,
    );
    await elsewhere.close();
  });
});

describe('Secrets Manager during failures', () => {
  withAwsCredentials();
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const started = async (starting: Promise<TestServer>): Promise<TestServer> => {
    const server = await starting;
    closing.push(() => server.close());
    return server;
  };
  const at = async (port: number, options: Readonly<Record<string, unknown>> = {}): Promise<Secrets> => {
    const secrets = await openAt(`http://127.0.0.1:${port}`, options);
    closing.push(() => secrets.close());
    return secrets;
  };
  /** The outcomes of calls without a response. They take 3 seconds, during which the other tests run. */
  let unanswered: Promise<readonly { message: string; after: number }[]>;
  let silence: TestServer;
  let ignored: Secrets;
  before(async () => {
    silence = await silentServer();
    ignored = await openAt(`http://127.0.0.1:${silence.port}`);
    const start = performance.now();
    const calls = [ignored.check(), ignored.get('NAME')].map(async (call) => {
      const { message } = await faultOf(call);
      return { message, after: performance.now() - start };
    });
    unanswered = Promise.all(calls);
  });
  after(async () => {
    await ignored.close();
    await silence.close();
  });
  const refusing = (status: number, type: string, message = '') =>
    started(answeringServer(status, JSON.stringify({ __type: type, message }), 'Connection: close\r\n'));

  for (const maxRetries of [0, 1, 3]) {
    it(`retries ${maxRetries} times after a broken connection, with the delay in between`, async () => {
      const server = await started(resettingServer());
      const secrets = await at(server.port, { maxRetries, retryDelaySeconds: 0.2 });
      const { code, message } = await faultOf(secrets.get('NAME'));
      expect(code).to.equal('secrets_unavailable');
      expect(message).to.equal(
        `the secret NAME: Secrets Manager at http://127.0.0.1:${server.port} in ${region}: the connection broke (ECONNRESET)`,
      );
      expect(server.connections).to.have.length(maxRetries + 1);
      // A timer may fire a millisecond early; a busy machine may be late.
      for (const [index, time] of server.connections.slice(1).entries())
        expect(time - (server.connections[index] ?? 0)).to.be.within(198, 4_000);
    });
  }

  it('does not retry by default', async () => {
    const server = await started(resettingServer());
    await faultOf((await at(server.port)).get('NAME'));
    expect(server.connections).to.have.length(1);
  });

  it('returns the secret when a retry succeeds', async () => {
    const port = await closedPort();
    const secrets = await at(port, { maxRetries: 50, retryDelaySeconds: 0.05 });
    const found = secrets.get('NAME');
    const body = JSON.stringify({ Name: 'NAME', SecretString: 'swordfish' });
    await started(answeringServer(200, body, 'Connection: close\r\n', port));
    expect(await found).to.equal('swordfish');
  });

  it('reports that it is unreachable', async () => {
    const secrets = await at(await closedPort());
    for (const asking of [secrets.get('NAME'), secrets.check()]) {
      const { code, message } = await faultOf(asking);
      expect(code).to.equal('secrets_unavailable');
      expect(message).to.match(/Secrets Manager at \S+ in eu-central-1: unreachable \(ECONNREFUSED\)$/);
    }
  });

  it('reports a host name that cannot be resolved', async () => {
    const secrets = await openAt('http://nowhere.invalid');
    closing.push(() => secrets.close());
    expect((await faultOf(secrets.get('NAME'))).message).to.match(/: unreachable \(E\w+\)$/);
  });

  for (const [type, status, text, code, reason] of [
    ['ResourceNotFoundException', 400, 'confidential', 'secret_unknown', 'does not exist in'],
    [
      'AccessDeniedException',
      400,
      'User: arn:aws:iam::1:user/confidential',
      'secrets_unavailable',
      'do not permit secretsmanager:GetSecretValue',
    ],
    ['UnrecognizedClientException', 400, 'confidential', 'secrets_unavailable', 'the credentials are refused'],
    [
      'InvalidSignatureException',
      400,
      'Credential should be scoped to a valid region.',
      'secrets_unavailable',
      'wrong region',
    ],
    ['ExpiredTokenException', 400, 'confidential', 'secrets_unavailable', 'the credentials have expired'],
    ['ThrottlingException', 400, 'confidential', 'secrets_unavailable', 'too many requests'],
    ['InternalServiceError', 500, 'confidential', 'secrets_unavailable', 'internal error of the service (HTTP 500)'],
    ['DecryptionFailure', 400, 'confidential', 'secrets_unavailable', 'refused (DecryptionFailure, HTTP 400)'],
  ] as const) {
    it(`does not retry after ${type}, and reports ${code}`, async () => {
      const server = await refusing(status, type, text);
      const secrets = await at(server.port, { maxRetries: 3, retryDelaySeconds: 60 });
      const fault = await faultOf(secrets.get('NAME'));
      expect(fault.code).to.equal(code);
      expect(fault.message).to.include('the secret NAME').and.include(reason).and.not.include('confidential');
      expect(server.connections).to.have.length(1);
    });
  }

  it('reports an endpoint that is not Secrets Manager', async () => {
    for (const [status, body] of [
      [200, 'hello'],
      [404, '<html>confidential</html>'],
    ] as const) {
      const server = await started(answeringServer(status, body, 'Connection: close\r\n'));
      const secrets = await at(server.port);
      for (const asking of [secrets.get('NAME'), secrets.check()])
        expect((await faultOf(asking)).message)
          .to.include('does not answer as Secrets Manager does')
          .and.not.include('confidential');
    }
  });

  it('names the missing permission', async () => {
    const server = await refusing(400, 'AccessDeniedException', 'User: arn:aws:iam::1:user/confidential');
    const secrets = await at(server.port);
    const line = `Secrets Manager at http://127.0.0.1:${server.port} in ${region}: access denied: the credentials do not permit secretsmanager:GetSecretValue`;
    const checks = [secrets.check(), secrets.check('NAME')].map(async (check) => (await faultOf(check)).message);
    expect(await Promise.all(checks)).to.deep.equal([line, `the secret NAME: ${line}`]);
  });

  it('gives up without a response before the health check does', async () => {
    for (const { message, after } of await unanswered) {
      expect(message).to.match(/: no response in time$/);
      // Timers of Node.js may fire up to a millisecond early.
      expect(after).to.be.within(2499, 4500);
    }
  });
});

describe('the options of Secrets Manager', () => {
  it('have the defaults of docs/configuration.md', () => {
    const decoded = secretsManager.configuration.decode({ endpoint: 'https://secrets.test', region });
    expect(isRight(decoded) && decoded.right).to.deep.equal({
      endpoint: 'https://secrets.test',
      region,
      retryDelaySeconds: 1,
      maxRetries: 0,
    });
  });

  it('report missing options', () => {
    const decoded = secretsManager.configuration.decode({});
    expect(isRight(decoded) ? [] : problemsOf(decoded.left).map(({ path }) => path)).to.deep.equal([
      'endpoint',
      'region',
    ]);
  });
});
