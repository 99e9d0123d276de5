import type { Bench, Section } from '../bench.ts';
import { contender } from '../contender.ts';
import { type BenchedEngine, credentialsEnvironment, type OpenEngine, openEngine, region } from '../engine.ts';
import { headers, latchkey } from '../latchkey.ts';
import type { ContenderRuns, Figure, Row, SectionResult } from '../results.ts';
import { type Contender, interleave, requireSameAnswer, throughputRow } from '../rounds.ts';
import { Server } from '../server.ts';
import { createUsers, pathOf } from '../users.ts';
import { profiled } from './profile.ts';

const users = 500;

/** Connection settings for the service and for the reference server. */
interface Connection {
  readonly title: string;
  readonly program: string;
  readonly block: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string>>;
}

const connections: Readonly<Record<BenchedEngine, (endpoint: string, place: string) => Connection>> = {
  mongodb: (connectionString, databaseName) => ({
    title: 'MongoDB',
    program: 'node-http-mongodb',
    block: { type: 'mongodb', connectionString, databaseName, collectionName: 'users' },
    environment: { CONNECTION: connectionString, DATABASE: databaseName },
  }),
  dynamodb: (endpoint, tableName) => ({
    title: 'DynamoDB',
    program: 'node-http-dynamodb',
    block: { type: 'dynamodb', endpoint, region, tableName, createTable: true },
    environment: { ...credentialsEnvironment, ENDPOINT: endpoint, REGION: region, TABLE: tableName },
  }),
};

const seed = async (bench: Bench, { block, environment }: Connection): Promise<void> => {
  const program = latchkey(bench.folder('seed'), { database: block }, { environment });
  const server = await Server.start(bench.machine, program);
  try {
    await createUsers(server.url, users);
  } finally {
    await server.stop();
  }
};

interface Read {
  readonly contenders: readonly ContenderRuns[];
  readonly figures: readonly Figure[];
  readonly row: Row;
}

/** The required share of the reference's throughput, by database. */
const atLeast: Readonly<Record<string, number>> = { MongoDB: 1, DynamoDB: 0.95 };

const measure = async (bench: Bench, engine: Connection): Promise<Read> => {
  const { title, program, block, environment } = engine;
  const load = { operation: 'read', users, headers, connections: 32 } as const;
  const [bare, own] = [`node:http, ${title}`, `Latchkey, ${title}`];
  const both: readonly Contender[] = [
    { name: bare, load, prepare: () => contender(program, bench.folder(program), environment) },
    { name: own, load, prepare: () => latchkey(bench.folder('latchkey'), { database: block }, { environment }) },
  ];
  await seed(bench, engine);
  await requireSameAnswer(bench, pathOf(7), both);
  const contenders = await interleave(bench, both);
  const figures: Figure[] = [];
  for (const { name, prepare } of both) figures.push(...(await profiled(bench, name, await prepare(), load)));
  return {
    contenders,
    figures,
    row: throughputRow(
      contenders,
      `GET on ${title}, relative to node:http with one driver call each`,
      own,
      bare,
      atLeast[title] ?? 0.85,
    ),
  };
};

const withEngine = async (bench: Bench, name: BenchedEngine): Promise<SectionResult> => {
  let engine: OpenEngine;
  try {
    engine = await openEngine(name, bench.machine);
  } catch (error) {
    const reason = error instanceof Error ? error.message : name;
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    bench.log(`SKIPPED: ${reason}${cause}`);
    return { contenders: [], figures: [], rows: [], notes: [`SKIPPED: ${reason}`] };
  }
  try {
    const { contenders, figures, row } = await measure(
      bench,
      connections[name](engine.endpoint, `bench-${process.pid}`),
    );
    return { contenders, figures, rows: [row], notes: [] };
  } finally {
    await engine.close();
  }
};

/** Reads from MongoDB and DynamoDB, compared with a bare call of the same driver. */
export const engines: Section = {
  name: 'engines',
  title: 'Reading from MongoDB and DynamoDB',
  explanation:
    'GET `/users` with the database in a container, compared with a server that makes one call for each read, with the same driver, guarantees and fields. Latchkey shares a call between reads that arrive together.',
  run: async (bench) => {
    const names = ['mongodb', 'dynamodb'] as const;
    const results: SectionResult[] = [];
    for (const name of names) results.push(await withEngine(bench, name));
    return {
      contenders: results.flatMap(({ contenders }) => contenders),
      figures: results.flatMap(({ figures }) => figures),
      rows: results.flatMap(({ rows }) => rows),
      notes: [
        'The CPU times of the parts are from the V8 profiler, as for reads from SQLite.',
        'The database shares its core with the load generator. If it is the bottleneck, the throughput depends on it rather than on the server; the CPU time does not.',
        ...results.flatMap(({ notes }) => notes),
      ],
    };
  },
};
