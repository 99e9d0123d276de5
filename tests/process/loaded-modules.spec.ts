import { basename } from 'node:path';
import { expect } from 'chai';
import { FreshTable, region } from '../integration/adapters/stores/dynamodb/fresh-table.ts';
import { ScratchDatabase } from '../integration/adapters/stores/mongodb/scratch-database.ts';
import { ScratchSchema } from '../integration/adapters/stores/postgresql/scratch-schema.ts';
import { engine } from '../support/engines/index.ts';
import { withAwsCredentials } from '../support/environment.ts';
import { postgresqlUrl } from '../support/postgresql/index.ts';
import { clientHeaders, createUser, eachWithInstallation } from './installation.ts';
import { filesIn, packagesIn, sourcesIn, traceModules } from './module-trace.ts';

describe('the modules of the default configuration', () => {
  const installation = eachWithInstallation();

  it('are those of the database, and load only when they are needed', async () => {
    const { run, url, adminUrl } = await installation().serve(traceModules);
    expect(await createUser(url, 'jane@example.com')).to.equal(201);
    const atWork = packagesIn(run.stderr);
    expect(atWork).to.include.keys('better-sqlite3', 'koa');
    expect(atWork).not.to.include.any.keys('mongodb', 'pg', 'argon2', 'bcrypt', 'nodemailer', 'jsonwebtoken');
    expect([...atWork].filter((name) => /^@(aws-sdk|smithy|opentelemetry|prometheus-io)\//.test(name))).to.deep.equal(
      [],
    );
    const headers = { ...clientHeaders, password: 'correct horse' };
    const sent = await fetch(`${url}/verify?email=jane@example.com`, { method: 'POST', headers });
    expect(sent.status).to.equal(200);
    expect(packagesIn(run.stderr), 'after a mail').to.include.keys('nodemailer');
    const before = packagesIn(run.stderr);
    expect((await fetch(`${url}/swagger`)).status).to.equal(200);
    expect((await fetch(`${url}/swagger/assets/swagger-ui-bundle.js`)).status).to.equal(200);
    expect([...packagesIn(run.stderr)], 'after the page').to.deep.equal([...before]);
    expect((await fetch(`${adminUrl}/outbox`)).status).to.equal(200);
    expect([...packagesIn(run.stderr)], 'after a look at the mails').to.deep.equal([...before, 'postal-mime']);
  });

  it('are in few files, because each takes time at the start', async () => {
    await installation().configure({
      server: { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'https://accounts.example.com' },
      users: { ids: true },
      email: { type: 'outbox', directory: 'outbox', confirmPage: true },
      passwordHash: { algorithm: 'sha256', serverSideHash: true },
      recovery: {},
      throttle: {},
      admin: { keys: [{ application: 'admin', secret: 'administration-only' }] },
    });
    const loaded = [...filesIn((await installation().serve(traceModules)).run.stderr)];
    expect(loaded.length, loaded.join()).to.be.within(5, 10);
  });

  it('include OpenTelemetry only with a collector', async () => {
    const without = await installation().serve(traceModules);
    expect(await createUser(without.url, 'jane@example.com')).to.equal(201);
    expect(packagesIn(without.run.stderr)).not.to.include('@opentelemetry/sdk-trace');
    const environment = { ...traceModules, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    expect(packagesIn((await installation().serve(environment)).run.stderr)).to.include('@opentelemetry/sdk-trace');
  });

  it('include the fetching of signing keys only with jwksUrl', async () => {
    const hmacSecret = 'a secret of at least thirty-two bytes';
    const auth = { type: 'oauth', issuer: 'us', hmacSecret };
    await installation().configure({ auth });
    const fetching = '../adapters/http/authentication/jwks.ts';
    expect(sourcesIn((await installation().serve(traceModules)).run.stderr)).not.to.include(fetching);
    await installation().configure({ auth: { ...auth, jwksUrl: 'http://127.0.0.1:1/keys' } });
    expect(sourcesIn((await installation().serve(traceModules)).run.stderr)).to.include(fetching);
  });

  it('include the password cache only if it is configured', async () => {
    const without = await installation().serve(traceModules);
    expect(await createUser(without.url, 'jane@example.com')).to.equal(201);
    expect(packagesIn(without.run.stderr)).not.to.include('lru-cache');
    await installation().configure({ passwordHash: { algorithm: 'bcrypt', cache: {} } });
    expect(packagesIn((await installation().serve(traceModules)).run.stderr)).to.include('lru-cache');
  });

  it('include the hashes of other systems only if one is accepted', async () => {
    const hashes = async () =>
      sourcesIn((await installation().serve(traceModules)).run.stderr)
        .filter((source) => source.startsWith('../adapters/password-hashes/'))
        .map((source) => basename(source, '.ts'));
    const others = ['pbkdf2', 'scrypt', 'phpass', 'sha-crypt', 'salted-digest', 'verify-only-hash'];
    await installation().configure({ passwordHash: { algorithm: 'sha256', accept: ['sha256'] } });
    expect(await hashes()).not.to.include.any.members(others);
    await installation().configure({ passwordHash: { algorithm: 'sha256', accept: ['pbkdf2'] } });
    expect(await hashes()).to.include.members([...others, 'delegating-hash']);
  });

  it('include what the configuration names', async () => {
    await installation().configure({
      auth: { type: 'oauth', issuer: 'us', hmacSecret: 'a secret of at least thirty-two bytes' },
      passwordHash: { algorithm: 'bcrypt' },
    });
    const { run } = await installation().serve(traceModules);
    expect(packagesIn(run.stderr)).to.include.all.keys('jsonwebtoken', 'bcrypt');
  });
});

describe('the modules of a database', () => {
  const installation = eachWithInstallation();

  /** The packages of a service that keeps a user in a database. */
  const packagesWith = async (database: Readonly<Record<string, unknown>>): Promise<readonly string[]> => {
    await installation().configure({ database });
    const { run, url } = await installation().serve(traceModules);
    expect(await createUser(url, 'jane@example.com')).to.equal(201);
    return [...packagesIn(run.stderr)];
  };

  describe('on MongoDB', () => {
    const uri = engine('mongodb');

    it('are its driver, and nothing of AWS', async () => {
      const database = new ScratchDatabase(uri());
      try {
        const packages = await packagesWith({ type: 'mongodb', ...database.block });
        expect(packages).to.include('mongodb');
        for (const name of packages) expect(name).not.to.match(/^@aws-sdk|^@smithy|^better-sqlite3$|^pg/);
      } finally {
        await database.dispose();
      }
    });
  });

  describe('on PostgreSQL', () => {
    const url = postgresqlUrl();

    it('are its driver, and those of no other database', async () => {
      const scratch = await ScratchSchema.create(url());
      try {
        const packages = await packagesWith(scratch.block);
        expect(packages).to.include('pg');
        for (const name of packages) expect(name).not.to.match(/^mongodb|^bson$|^@aws-sdk|^@smithy|^better-sqlite3$/);
      } finally {
        await scratch.dispose();
      }
    });
  });

  describe('on DynamoDB', () => {
    const endpoint = engine('dynamodb');
    withAwsCredentials();

    it('are its client, and no other client of AWS or MongoDB', async () => {
      const table = await FreshTable.create(endpoint());
      try {
        const block = { type: 'dynamodb', endpoint: endpoint(), region, tableName: table.name };
        const packages = await packagesWith(block);
        expect(packages).to.include('@aws-sdk/client-dynamodb');
        for (const name of packages) {
          expect(name).not.to.match(/^mongodb|^bson$|^better-sqlite3$|^pg/);
          expect(name).not.to.match(/^@aws-sdk\/client-(ses|secrets-manager)$/);
        }
      } finally {
        await table.dispose();
      }
    });
  });
});
