import { createHmac } from 'node:crypto';
import { Installation } from '../process/installation.ts';
import { breakingServer, closedPort } from '../support/silent-server.ts';
import { Canaries } from './canaries.ts';
import type { Promised } from './guarantee.ts';
import { type CloudMood, type MailMood, tattlingCloud, tattlingMailServer } from './leak-detector.ts';
import { Overheard, traffic } from './secret-traffic.ts';

/** A configuration in which secrets are at work, and who repeats them. */
interface Scene {
  readonly name: string;
  readonly blocks: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string>>;
  /** A right Authorization header, and wrong ones that are secrets too. */
  readonly right: string;
  readonly wrongs: readonly string[];
  /** Brings those behind the service into each of their moods, before the traffic goes through once more. */
  readonly moods: readonly (() => void)[];
  close(): Promise<void>;
}

const region = 'eu-central-1';
const fromAddress = 'no-reply@example.com';
const basic = (secret: string): string => `Basic ${Buffer.from(`dev:${secret}`).toString('base64')}`;

const token = (secret: string, canaries: Canaries): string => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${part({ alg: 'HS256' })}.${part({ iss: 'issuer', sub: 'dev' })}`;
  const signature = createHmac('sha256', secret).update(content).digest('base64url');
  canaries.keep('the signature of a token', signature, 'nobody');
  return `Bearer ${content}.${signature}`;
};

const wrongsOf = (canaries: Canaries): readonly string[] => [
  basic(canaries.plant('a wrong Basic secret')),
  token(canaries.plant('a forger’s secret'), canaries),
  `Bearer ${canaries.plant('a wrong token')}`,
  canaries.plant('an Authorization of no scheme'),
];

/** The embedded store, slow hashes, and a mail server that repeats passwords and mails. */
const withMailServer = async (canaries: Canaries): Promise<Scene> => {
  const server = await tattlingMailServer();
  const [secret, password] = [canaries.plant('a Basic secret'), canaries.plant('the password of the mail server')];
  return {
    name: 'a mail server that repeats what it was told',
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
    right: basic(secret),
    wrongs: wrongsOf(canaries),
    moods: (['refuses the password', 'refuses the mail'] satisfies MailMood[]).map((mood) => () => {
      server.mood = mood;
    }),
    close: () => server.close(),
  };
};

/** Services of AWS that repeat requests; users are stored there, or in the embedded store so that mails go out. */
const withCloud = async (canaries: Canaries, storesUsers: boolean): Promise<Scene> => {
  const secret = canaries.plant('an HMAC secret');
  const cloud = await tattlingCloud({ 'latchkey/hmac': secret });
  const place = { endpoint: `http://127.0.0.1:${cloud.port}`, region };
  const moods: readonly CloudMood[] = ['rejects', 'denies', 'fails', 'babbles', 'hangs up'];
  return {
    name: `services of AWS that repeat what they were told, ${storesUsers ? 'DynamoDB among them' : 'for mails'}`,
    blocks: {
      secrets: { provider: 'secretsmanager', ...place },
      ...(storesUsers ? { database: { type: 'dynamodb', ...place, tableName: 'users' } } : {}),
      email: { type: 'ses', ...place, fromAddress },
      passwordHash: { algorithm: storesUsers ? 'simple' : 'sha256', serverSideHash: true },
      auth: { type: 'oauth', issuer: 'issuer', hmacSecret: '${latchkey/hmac}' },
    },
    environment: {
      AWS_ACCESS_KEY_ID: canaries.plant('an access key of AWS'),
      AWS_SECRET_ACCESS_KEY: canaries.plant('a secret access key of AWS'),
      AWS_SESSION_TOKEN: canaries.plant('a session token of AWS'),
    },
    right: token(secret, canaries),
    wrongs: wrongsOf(canaries),
    moods: moods.map((mood) => () => {
      cloud.mood = mood;
    }),
    close: () => cloud.close(),
  };
};

/** MongoDB behind a connection string with a password, where nothing listens or everything breaks. */
const withMongoDb = async (canaries: Canaries, breaks: boolean): Promise<Scene> => {
  const server = await breakingServer();
  const [secret, password] = [canaries.plant('a Basic secret'), canaries.plant('the password of the database')];
  const host = `127.0.0.1:${breaks ? server.port : await closedPort()}`;
  return {
    name: `a MongoDB that ${breaks ? 'breaks connections' : 'is not there'}`,
    blocks: {
      database: { type: 'mongodb', connectionString: '${MONGODB}', databaseName: 'a', collectionName: 'users' },
      auth: { type: 'basic', keys: [{ application: 'dev', secret: '${BASIC_SECRET}' }] },
      operationTimeout: '100ms',
    },
    environment: { MONGODB: `mongodb://user:${password}@${host}/?authSource=admin`, BASIC_SECRET: secret },
    right: basic(secret),
    wrongs: [],
    moods: [() => undefined],
    close: () => server.close(),
  };
};

const play = async (scene: Scene, heard: Overheard): Promise<void> => {
  const installation = await Installation.create();
  try {
    await installation.configure({
      logging: { level: 'trace', requests: 'all' },
      operationTimeout: '2s',
      ...scene.blocks,
    });
    const { stdout, stderr } = await installation.command(['check', 'latchkey.yaml'], scene.environment);
    heard.output(`the check of ${scene.name}`, stdout + stderr);
    const serving = await installation.serve(scene.environment);
    for (const change of scene.moods) {
      change();
      await traffic(serving, scene.right, scene.wrongs, heard);
    }
    await serving.stop();
    heard.output(`the log beside ${scene.name}`, serving.run.stdout);
    heard.output(`standard error beside ${scene.name}`, serving.run.stderr);
  } finally {
    await installation.dispose();
    await scene.close();
  }
};

/** Configurations that are wrong, and hold secrets at the place that is. */
const misconfigure = async (canaries: Canaries, heard: Overheard): Promise<void> => {
  const secret = canaries.plant('a secret in a wrong configuration');
  const wrongs = [
    {
      database: {
        type: 'mongodb',
        connectionString: `mongodb://user:${secret}@`,
        databaseName: 'a',
        collectionName: 'a',
      },
    },
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
      if (status !== 2) throw new Error(`a wrong ${Object.keys(blocks)} ends with ${status}`);
      heard.output(`what is said of a wrong ${Object.keys(blocks)}`, stdout + stderr);
    }
  } finally {
    await installation.dispose();
  }
};

/** Plants secrets everywhere, lets everything go wrong, and looks for them. A round is all of it with new secrets. */
export const keepsSecrets: Promised = {
  name: 'no password, token, hash, key or connection string reaches a log, standard error, an error, the health or the metrics, whatever goes wrong',
  rounds: { short: 1, long: 5 },
  patience: 90_000,
  run: async (rounds) => {
    const canaries = new Canaries();
    const heard = new Overheard(canaries);
    for (let round = 0; round < rounds; round++) {
      const makers = [
        () => withMailServer(canaries),
        () => withCloud(canaries, false),
        () => withCloud(canaries, true),
        () => withMongoDb(canaries, false),
        () => withMongoDb(canaries, true),
      ];
      // Together, because most of the time is spent in waiting for those who do not answer.
      await Promise.all([...makers.map(async (make) => play(await make(), heard)), misconfigure(canaries, heard)]);
    }
    heard.expectNothing();
    return `${canaries.count} secrets, ${heard.answers} answers and ${heard.lines} lines searched, 0 found`;
  },
};
