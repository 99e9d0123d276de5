import { Client } from 'pg';
import { PostgresServer } from '../../tests/support/postgresql/server.ts';
import type { Bench, Section } from '../bench.ts';
import { contender } from '../contender.ts';
import { headers, latchkey } from '../latchkey.ts';
import { type Contender, interleave, requireSameAnswer, throughputRow } from '../rounds.ts';
import { Server } from '../server.ts';
import { addressOf, createUsers, pathOf } from '../users.ts';

/** Few and many users, each in a schema of their own. */
const few = { schema: 'few', users: 1_000 };
const many = { schema: 'many', users: 1_000_000 };

const cases = [
  { method: 'GET', operation: 'read', atLeast: 0.92 },
  { method: 'POST', operation: 'create', atLeast: 0.85 },
  { method: 'PUT', operation: 'update', atLeast: 0.85 },
] as const;

const table = 'latchkey_users';

const blockOf = (connectionString: string, schema: string) => ({
  database: { type: 'postgresql', connectionString, schema },
});

/** Creates the users of a schema: a thousand by the service, and more by copying these. */
const seed = async (bench: Bench, client: Client, url: string, { schema, users }: typeof few): Promise<void> => {
  await client.query(`CREATE SCHEMA ${schema}`);
  const server = await Server.start(bench.machine, latchkey(bench.folder('seed'), blockOf(url, schema)));
  try {
    await createUsers(server.url, few.users);
  } finally {
    await server.stop();
  }
  if (users === few.users) return;
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = '${schema}.${table}'::regclass AND attnum > 0`,
  );
  const names = rows.map(({ name }) => name);
  const address = addressOf(0).replace('0', "' || n || '");
  const values = names.map((name) => {
    if (name === 'key' || name === 'address') return `'${address}'`;
    return name === 'version' ? 'gen_random_uuid()::text' : name;
  });
  await client.query(`INSERT INTO ${schema}.${table} (${names}) SELECT ${values} FROM ${schema}.${table},
    generate_series(${few.users}, ${users - 1}) n WHERE key = '${addressOf(0)}'`);
};

/** PostgreSQL, compared with the same statements of `pg`. */
export const postgresql: Section = {
  name: 'postgresql',
  title: 'Reading and writing on PostgreSQL',
  explanation:
    'Requests on 32 connections, with a PostgreSQL server that flushes to the disk, compared with a server that makes one call of `pg` for each, in a pool of the same size.',
  run: async (bench) => {
    const server = await PostgresServer.create([]);
    const client = new Client({ connectionString: server.url });
    try {
      await client.connect();
      for (const size of [few, many]) await seed(bench, client, server.url, size);
      await client.query('VACUUM ANALYZE');
      const load = { users: few.users, headers, connections: 32 };
      const own =
        (method: string, schema = few.schema): Contender['prepare'] =>
        () =>
          latchkey(bench.folder(`latchkey-${method}`), blockOf(server.url, schema));
      const environment = { CONNECTION: server.url, TABLE: `${few.schema}.${table}` };
      const bare =
        (method: string): Contender['prepare'] =>
        () =>
          contender('node-http-postgresql', bench.folder(`bare-${method}`), environment);
      const contenders: readonly Contender[] = [
        ...cases.flatMap(({ method, operation }) => [
          { name: `node:http, ${method}`, load: { ...load, operation }, prepare: bare(method) },
          { name: `Latchkey, ${method}`, load: { ...load, operation }, prepare: own(method) },
        ]),
        {
          name: 'Latchkey, GET of a million',
          load: { ...load, operation: 'read', users: many.users },
          prepare: own('many', many.schema),
        },
      ];
      await requireSameAnswer(bench, pathOf(7), contenders.slice(0, 2));
      const runs = await interleave(bench, contenders);
      return {
        contenders: runs,
        figures: [],
        rows: [
          ...cases.map(({ method, atLeast }) =>
            throughputRow(
              runs,
              `${method} on PostgreSQL, relative to node:http with one call of pg`,
              `Latchkey, ${method}`,
              `node:http, ${method}`,
              atLeast,
            ),
          ),
          throughputRow(
            runs,
            'GET of a million users on PostgreSQL, relative to a thousand',
            'Latchkey, GET of a million',
            'Latchkey, GET',
            0.92,
          ),
        ],
        notes: ['Reads that arrive together share a statement, which the reference sends for each.'],
      };
    } finally {
      await client.end();
      await server.dispose();
    }
  },
};
