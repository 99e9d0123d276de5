import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { ScratchSchema } from '../integration/adapters/stores/postgresql/scratch-schema.ts';
import { privatePostgresql } from '../support/postgresql/index.ts';
import { createUser, eachWithInstallation } from './installation.ts';

describe('latchkey migrate', function () {
  this.timeout(60_000);
  const installation = eachWithInstallation();
  const server = privatePostgresql();
  /** A role that may only read and write what exists. */
  const role = `service_${randomUUID().replaceAll('-', '_')}`;
  let scratch: ScratchSchema;

  const query = (text: string) => scratch.query(text);
  const urlOf = (username: string): string => Object.assign(new URL(server().url), { username }).href;

  before(async () => {
    const first = await ScratchSchema.create(server().url);
    await first.query(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 19`);
    await first.dispose();
  });
  beforeEach(async () => {
    scratch = await ScratchSchema.create(server().url);
    await query(`DROP SCHEMA ${scratch.schema}`);
    const { schema } = scratch;
    const database = {
      type: 'postgresql',
      connectionString: '${DATABASE_URL}',
      schema,
      table: 'users',
      migrate: 'never',
    };
    await installation().configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, workers: 2 }, database });
  });
  afterEach(async () => {
    await query(`CREATE SCHEMA IF NOT EXISTS ${scratch.schema}`);
    await scratch.dispose();
  });

  const run = (args: readonly string[], username = 'latchkey') =>
    installation().command([...args, 'latchkey.yaml'], { DATABASE_URL: urlOf(username) });

  const all = ['', '_names', '_events', '_format', '_attempts'].map((suffix) => `table users${suffix}`);
  const created = () => {
    const { schema } = scratch;
    return [`schema ${schema}`, ...all.map((table) => table.replace(' ', ` ${schema}.`))];
  };
  const tablesIn = async (): Promise<number> =>
    (await query(`SELECT FROM pg_tables WHERE schemaname = '${scratch.schema}'`)).length;

  it('creates with one role what the service needs with another', async () => {
    const refused = await run(['migrate'], role);
    expect([refused.status, refused.stdout]).to.deep.equal([1, '']);
    expect(refused.stderr).to.match(/^latchkey: PostgreSQL: missing: schema .* lacks a privilege .*\(42501\); .*\n$/);
    const migrated = await run(['migrate']);
    expect([migrated.status, migrated.stderr]).to.deep.equal([0, '']);
    expect(migrated.stdout).to.equal(
      created()
        .map((line) => `ok    created ${line}\n`)
        .join(''),
    );
    const again = await run(['migrate']);
    expect([again.status, again.stdout]).to.deep.equal([0, 'ok    nothing is missing\n']);
    const printed = (await run(['migrate', '--print'])).stdout;
    expect(printed)
      .to.match(/^-- Nothing is missing\.\n(?:-- .*\n)+$/)
      .and.include('-- GRANT SELECT, INSERT');
  });

  it('prints SQL that does the same, with the permissions of the service', async () => {
    const { status, stdout, stderr } = await run(['migrate', '--print'], role);
    expect([status, stderr]).to.deep.equal([0, '']);
    expect(await tablesIn()).to.equal(0);
    await query(stdout);
    expect((await run(['migrate'])).stdout).to.equal('ok    nothing is missing\n');
    const without = await run(['check'], role);
    expect(without.status).to.equal(1);
    await query(stdout.replace(/^-- (?=GRANT)/gm, '').replaceAll('TO latchkey;', `TO ${role};`));
    const checked = await run(['check'], role);
    expect([checked.status, checked.stderr]).to.deep.equal([0, '']);
    expect(checked.stdout).to.include('up to 20 connections, but the server has 19 for this role');
    const serving = await installation().serve({ DATABASE_URL: urlOf(role) });
    expect(await createUser(serving.url, 'jane@example.com')).to.equal(201);
    expect(await serving.stop()).to.equal(0);
  });

  it('prints all of it where the database does not exist or cannot be reached', async () => {
    await query(`CREATE SCHEMA ${scratch.schema}; GRANT USAGE, CREATE ON SCHEMA ${scratch.schema} TO ${role}`);
    for (const [url, reason] of [
      [Object.assign(new URL(server().url), { pathname: 'none' }).href, 'the database does not exist (3D000)'],
      ['postgresql://latchkey@127.0.0.1:9/none', 'the server cannot be reached, or is too slow (ECONNREFUSED)'],
    ]) {
      const DATABASE_URL = url;
      const printed = await installation().command(['migrate', '--print', 'latchkey.yaml'], { DATABASE_URL });
      expect([printed.status, printed.stderr]).to.deep.equal([
        0,
        `warn  not compared with the database: PostgreSQL: ${reason}\n`,
      ]);
      expect(printed.stdout.match(/CREATE (?:SCHEMA|TABLE)/g)).to.have.lengthOf(all.length + 1);
      // Works for a role that may not create schemas, and does no harm to a database that has all of it.
      await query(`SET ROLE ${role}; ${printed.stdout}`);
      expect(await tablesIn()).to.equal(all.length);
      const failed = await installation().command(['migrate', 'latchkey.yaml'], { DATABASE_URL });
      expect([failed.status, failed.stdout, failed.stderr]).to.deep.equal([1, '', `latchkey: PostgreSQL: ${reason}\n`]);
    }
  });

  it('is what a service says that may not do it, and the check', async () => {
    const advice = /missing: schema .*; latchkey migrate creates it, with a role that may/;
    const checked = await run(['check']);
    expect(checked.status).to.equal(1);
    expect(checked.stdout)
      .to.match(/^FAIL {2}database \(postgresql\): /m)
      .and.match(advice);
    const serving = await installation().serve({ DATABASE_URL: urlOf('latchkey') });
    expect(serving.run.stdout).to.match(advice);
    const health = await (await fetch(`${serving.adminUrl}/healthcheck`)).text();
    expect(health).to.match(advice);
    expect(await tablesIn()).to.equal(0);
    expect(await serving.stop()).to.equal(0);
  });

  it('has nothing to do for other databases', async () => {
    await installation().configure();
    const line = 'ok    database.type is sqlite: nothing to migrate by this command\n';
    const migrated = await installation().command(['migrate', 'latchkey.yaml']);
    expect(migrated).to.include({ status: 0, stdout: line, stderr: '' });
    const printed = await installation().command(['migrate', '--print', 'latchkey.yaml']);
    expect(printed).to.include({ status: 0, stdout: '', stderr: line });
  });

  it('takes one configuration file', async () => {
    const { status, stderr } = await installation().command(['migrate', 'one.yaml', 'two.yaml']);
    expect([status, stderr]).to.deep.equal([
      2,
      'latchkey: migrate takes one configuration file\nSee: latchkey help migrate\n',
    ]);
  });
});
