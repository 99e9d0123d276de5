import { createHmac } from 'node:crypto';
import { ScratchSchema } from '../integration/adapters/stores/postgresql/scratch-schema.ts';
import { Installation } from '../process/installation.ts';
import { closedPort, resettingServer } from '../support/tcp-servers.ts';
import { type CloudFailure, type MailFailure, startEchoingCloud, startEchoingMailServer } from './echoing-servers.ts';
import type { Guarantee } from './guarantee.ts';
import { LeakDetector } from './leak-detector.ts';
import { SearchedOutput, traffic } from './secret-traffic.ts';

/** A configuration with secrets, and the server that receives them. */
interface Scenario {
  readonly name: string;
  readonly blocks: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly validAuthorization: string;
  /** Invalid Authorization headers, which are secrets too. */
  readonly invalidAuthorizations: readonly string[];
  /** Each switches the server to another failure, before all requests are sent again. */
  readonly failures: readonly (() => void | Promise<void>)[];
  close(): Promise<void>;
}

const region = 'eu-central-1';
const fromAddress = 'no-reply@example.com';
const basic = (secret: string): string => `Basic ${Buffer.from(`dev:${secret}`).toString('base64')}`;

const token = (secret: string, detector: LeakDetector): string => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${part({ alg: 'HS256' })}.${part({ iss: 'issuer', sub: 'dev' })}`;
  const signature = createHmac('sha256', secret).update(content).digest('base64url');
  detector.add('the signature of a token', signature, 'sender');
  return `Bearer ${content}.${signature}`;
};

const invalidAuthorizationsOf = (detector: LeakDetector): readonly string[] => [
  basic(detector.newSecret('a wrong Basic secret')),
  token(detector.newSecret('a wrong HMAC secret'), detector),
  `Bearer ${detector.newSecret('a wrong token')}`,
  detector.newSecret('an Authorization header without a scheme'),
];

/** SQLite, bcrypt, and a mail server that echoes passwords and mails. */
const withMailServer = async (detector: LeakDetector): Promise<Scenario> => {
  const server = await startEchoingMailServer();
  const [secret, password] = [
    detector.newSecret('a Basic secret'),
    detector.newSecret('the password of the mail server'),
  ];
  return {
    name: 'a mail server that echoes what it receives',
    blocks: {
      email: {
        type: 'smtp',
        host: '127.0.0.1',
        port: server.port,
        user: 'u',
        password: '${MAIL_PASSWORD}',
        fromAddress,
      },
      passwordHash: { algorithm: 'bcrypt', serverSideHash: true },
      auth: { type: 'basic', keys: [{ application: 'dev', secret: '${BASIC_SECRET}' }] },
    },
    environment: { MAIL_PASSWORD: password, BASIC_SECRET: secret },
    validAuthorization: basic(secret),
    invalidAuthorizations: invalidAuthorizationsOf(detector),
    failures: (['refuses the password', 'refuses the mail'] satisfies MailFailure[]).map((failure) => () => {
      server.failure = failure;
    }),
    close: () => server.close(),
  };
};

/** AWS services that echo requests. Users are stored in DynamoDB, or in SQLite so that mails are sent. */
const withCloud = async (detector: LeakDetector, storesUsers: boolean): Promise<Scenario> => {
  const secret = detector.newSecret('an HMAC secret');
  const cloud = await startEchoingCloud({ 'latchkey/hmac': secret });
  const place = { endpoint: `http://127.0.0.1:${cloud.port}`, region };
  const failures: readonly CloudFailure[] = ['rejects', 'denies', 'fails', 'echoes HTML', 'hangs up'];
  return {
    name: `AWS services that echo what they receive, ${storesUsers ? 'including DynamoDB' : 'except DynamoDB'}`,
    blocks: {
      secrets: { provider: 'secretsmanager', ...place },
      ...(storesUsers ? { database: { type: 'dynamodb', ...place, tableName: 'users' } } : {}),
      email: { type: 'ses', ...place, fromAddress },
      passwordHash: { algorithm: storesUsers ? 'simple' : 'sha256', serverSideHash: true },
      auth: { type: 'oauth', issuer: 'issuer', hmacSecret: '${latchkey/hmac}' },
    },
    environment: {
      AWS_ACCESS_KEY_ID: detector.newSecret('an access key of AWS'),
      AWS_SECRET_ACCESS_KEY: detector.newSecret('a secret access key of AWS'),
      AWS_SESSION_TOKEN: detector.newSecret('a session token of AWS'),
    },
    validAuthorization: token(secret, detector),
    invalidAuthorizations: invalidAuthorizationsOf(detector),
    failures: failures.map((failure) => () => {
      cloud.failure = failure;
    }),
    close: () => cloud.close(),
  };
};

/** The block `database` for a connection string in the environment. */
const databaseBlocks = {
  MongoDB: { type: 'mongodb', connectionString: '${DATABASE}', databaseName: 'a', collectionName: 'users' },
  PostgreSQL: { type: 'postgresql', connectionString: '${DATABASE}' },
} as const;

/** A database with a password in the connection string; the server breaks connections, or does not listen. */
const withDatabase = async (
  detector: LeakDetector,
  name: keyof typeof databaseBlocks,
  breaks: boolean,
): Promise<Scenario> => {
  const server = await resettingServer();
  const [secret, password] = [detector.newSecret('a Basic secret'), detector.newSecret('the password of the database')];
  const host = `127.0.0.1:${breaks ? server.port : await closedPort()}`;
  return {
    name: `a ${name} that ${breaks ? 'breaks connections' : 'does not listen'}`,
    blocks: {
      database: databaseBlocks[name],
      auth: { type: 'basic', keys: [{ application: 'dev', secret: '${BASIC_SECRET}' }] },
      operationTimeout: '100ms',
    },
    environment: { DATABASE: `${databaseBlocks[name].type}://user:${password}@${host}/a`, BASIC_SECRET: secret },
    validAuthorization: basic(secret),
    invalidAuthorizations: [],
    failures: [() => undefined],
    close: () => server.close(),
  };
};

/** PostgreSQL whose errors contain the row and the statement, and that ends the session of a write. */
const withPostgresql = async (detector: LeakDetector, url: string): Promise<Scenario> => {
  const scratch = await ScratchSchema.create(url);
  const { schema, block } = scratch;
  const [secret, password] = [detector.newSecret('a Basic secret'), detector.newSecret('the password of the database')];
  /** Lets writes of users fail. */
  const failing = (failure: string) => async () => {
    await scratch.query(`
      CREATE OR REPLACE FUNCTION ${schema}.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${failure}; END $$;
      DROP TRIGGER IF EXISTS fail ON ${schema}.users;
      CREATE TRIGGER fail BEFORE INSERT OR UPDATE OR DELETE ON ${schema}.users FOR EACH ROW EXECUTE PROCEDURE ${schema}.fail()`);
  };
  return {
    name: 'a PostgreSQL that returns rows and statements in its errors',
    blocks: {
      database: { ...block, connectionString: '${DATABASE}' },
      // Stores passwords as they are, so that the row of a user who was never created has a known secret.
      passwordHash: { algorithm: 'simple' },
      auth: { type: 'basic', keys: [{ application: 'dev', secret: '${BASIC_SECRET}' }] },
    },
    environment: { DATABASE: Object.assign(new URL(url), { password }).href, BASIC_SECRET: secret },
    validAuthorization: basic(secret),
    invalidAuthorizations: [],
    failures: [
      failing(
        "RAISE EXCEPTION 'not this: % in %', NEW, current_query() USING DETAIL = current_query(), HINT = current_query()",
      ),
      failing('PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW'),
      async () => {
        await scratch.query(`ALTER TABLE ${schema}.users DROP COLUMN password CASCADE`);
      },
    ],
    close: () => scratch.dispose(),
  };
};

const runScenario = async (scenario: Scenario, output: SearchedOutput): Promise<void> => {
  const installation = await Installation.create();
  try {
    await installation.configure({
      logging: { level: 'trace', requests: 'all' },
      operationTimeout: '2s',
      ...scenario.blocks,
    });
    const { stdout, stderr } = await installation.command(['check', 'latchkey.yaml'], scenario.environment);
    output.output(`the check of ${scenario.name}`, stdout + stderr);
    const serving = await installation.serve(scenario.environment);
    for (const change of scenario.failures) {
      await change();
      await traffic(serving, scenario.validAuthorization, scenario.invalidAuthorizations, output);
    }
    await serving.stop();
    output.output(`the log with ${scenario.name}`, serving.run.stdout);
    output.output(`standard error with ${scenario.name}`, serving.run.stderr);
  } finally {
    await installation.dispose();
    await scenario.close();
  }
};

/** Starts the service with invalid configurations that contain secrets. */
const runInvalidConfigurations = async (detector: LeakDetector, output: SearchedOutput): Promise<void> => {
  const secret = detector.newSecret('a secret in a wrong configuration');
  const wrongs = [
    {
      database: {
        type: 'mongodb',
        connectionString: `mongodb://user:${secret}@`,
        databaseName: 'a',
        collectionName: 'a',
      },
    },
    { database: { type: 'postgresql', connectionString: `postgresql://user:${secret}@` } },
    { database: { type: 'postgresql', connectionString: `postgresql://user:${secret}@host:${secret}/?${secret}` } },
    { auth: { type: 'basic', keys: [{ application: 'a:b', secret, secrett: secret }, secret] } },
    { auth: { type: 'oauth', hmacSecret: { [secret]: secret }, issuer: 'issuer', keys: [{ secret }] } },
    { email: { type: 'smtp', password: secret, port: secret, fromAddress: secret } },
    { secrets: { provider: secret }, server: { port: `\${NOT_THERE}${secret}`, publicUrl: `https://u:${secret}@a` } },
  ];
  const installation = await Installation.create();
  try {
    for (const blocks of wrongs) {
      await installation.configure(blocks);
      const { stdout, stderr, status } = await installation.command(['serve', 'latchkey.yaml']);
      if (status !== 2) throw new Error(`an invalid ${Object.keys(blocks)} exits with ${status}`);
      output.output(`the errors of an invalid ${Object.keys(blocks)}`, stdout + stderr);
    }
  } finally {
    await installation.dispose();
  }
};

/** Uses secrets everywhere, provokes every failure, and searches all output for them. A round uses new secrets. */
export const secretLeaks: Guarantee = {
  name: 'no password, token, hash, key or connection string appears in logs, standard error, error responses, health or metrics, whatever fails',
  rounds: { short: 1, long: 5 },
  timeoutMs: 90_000,
  run: async (rounds, random) => {
    const detector = new LeakDetector(random.stream('secrets'));
    const output = new SearchedOutput(detector);
    for (let round = 0; round < rounds; round++) {
      const makers = [
        () => withMailServer(detector),
        () => withCloud(detector, false),
        () => withCloud(detector, true),
        () => withDatabase(detector, 'MongoDB', false),
        () => withDatabase(detector, 'MongoDB', true),
        () => withDatabase(detector, 'PostgreSQL', false),
        () => withDatabase(detector, 'PostgreSQL', true),
      ];
      // Concurrently, because most of the time is spent waiting for timeouts.
      await Promise.all([
        ...makers.map(async (make) => runScenario(await make(), output)),
        runInvalidConfigurations(detector, output),
      ]);
    }
    output.expectNoLeaks();
    return `${detector.count} secrets, ${output.responses} responses and ${output.lines} lines searched, 0 found`;
  },
};

/** The same for what a real server says about the rows and statements that it refuses. */
export const postgresqlLeaks = (url: () => string): Guarantee => ({
  name: 'no password, token, hash, key or connection string appears in logs or responses when PostgreSQL names rows and statements in its errors',
  rounds: { short: 1, long: 5 },
  timeoutMs: 90_000,
  run: async (rounds, random) => {
    const detector = new LeakDetector(random.stream('secrets'));
    const output = new SearchedOutput(detector);
    for (let round = 0; round < rounds; round++) await runScenario(await withPostgresql(detector, url()), output);
    output.expectNoLeaks();
    return `${detector.count} secrets, ${output.responses} responses and ${output.lines} lines searched, 0 found`;
  },
});
