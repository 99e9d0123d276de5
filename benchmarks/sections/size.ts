import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Section } from '../bench.ts';
import { contender } from '../contender.ts';
import { headers, latchkey } from '../latchkey.ts';
import { type Load, send } from '../load/load.ts';
import type { ContenderRuns, Measured, Row } from '../results.ts';
import { type Contender, measure, throughputRow, turn as turnOf } from '../rounds.ts';
import { Server } from '../server.ts';
import { folderWith, seededDatabase } from '../users.ts';

const few = 1_000;
/** Bounds of the proportional memory of the process. */
const maxMemoryMB = { read: 130, write: 150 } as const;
const loads = ['read', 'write'] as const;
const cacheKib = 16 * 1024;

interface Turn {
  readonly read: Measured;
  readonly create: Measured;
  /** Memory after the reads, and after the creations, in MB. */
  readonly memory: Readonly<Record<'read' | 'write', { readonly resident: number; readonly proportional: number }>>;
  /** Read system calls per request, of sockets and files. */
  readonly readCalls: number;
}

const memoryOf = (server: Server) => ({
  resident: server.residentBytes() / 1e6,
  proportional: server.proportionalBytes() / 1e6,
});

const turn = async (bench: Bench, database: string, users: number): Promise<Turn> => {
  const folder = folderWith(bench, 'size', database);
  const server = await Server.start(bench.machine, latchkey(folder));
  const load = (operation: Load['operation']): Load => ({ operation, users, headers, connections: 32 });
  try {
    const read = await measure(bench, server, load('read'));
    const readMemory = memoryOf(server);
    const before = server.readCalls();
    const { requests } = await send(bench.machine, server.url, load('read'), 1);
    const readCalls = (server.readCalls() - before) / requests;
    const create = await measure(bench, server, load('create'));
    return { read, readCalls, create, memory: { read: readMemory, write: memoryOf(server) } };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
};

/** Reads with the cache that Latchkey gives to SQLite. */
const koa = (bench: Bench, database: string, users: number): Contender => ({
  name: `Koa, GET, ${users.toLocaleString('en-US')} users`,
  load: { operation: 'read', users, headers, connections: 32 },
  prepare: () => {
    const folder = folderWith(bench, 'koa', database);
    return contender('koa-sqlite', folder, { DATABASE: join(folder, 'users.db'), CACHE_KIB: String(cacheKib) });
  },
});

const runsFrom = (turns: readonly Turn[], users: number): readonly ContenderRuns[] => {
  const of = users.toLocaleString('en-US');
  return [
    { name: `GET, ${of} users`, connections: 32, runs: turns.map(({ read }) => read) },
    { name: `POST, ${of} users`, connections: 32, runs: turns.map(({ create }) => create) },
  ];
};

/** The effect of the number of stored users. */
export const size: Section = {
  name: 'size',
  title: 'Database size',
  explanation: 'Reading and creating users in a database of a thousand users and in one of a million.',
  run: async (bench) => {
    const many = bench.extent.quick ? 100_000 : 1_000_000;
    bench.log(`  storing ${many} users`);
    const databases = [
      { users: few, file: await seededDatabase(bench, few), turns: [] as Turn[] },
      { users: many, file: await seededDatabase(bench, many), turns: [] as Turn[] },
    ] as const;
    const bare = koa(bench, databases[1].file, many);
    const reference = { name: bare.name, connections: bare.load.connections, runs: [] as Measured[] };
    const referenceMB: number[] = [];
    for (let round = 1; round <= bench.extent.rounds; round++) {
      bench.log(`  round ${round} of ${bench.extent.rounds}`);
      for (const { users, file, turns } of databases) turns.push(await turn(bench, file, users));
      reference.runs.push(await turnOf(bench, bare, (server) => referenceMB.push(server.residentBytes() / 1e6)));
    }
    const contenders = [...databases.flatMap(({ users, turns }) => runsFrom(turns, users)), reference];
    const [getFew = '', postFew = '', getMany = '', postMany = ''] = contenders.map(({ name }) => name);
    return {
      contenders,
      figures: [
        { name: `memory of Koa with ${many.toLocaleString('en-US')} users`, unit: 'MB', values: referenceMB } as const,
        ...databases.flatMap(({ users, turns }) => {
          const many = users.toLocaleString('en-US');
          return [
            ...loads.map(
              (load) =>
                ({
                  name: `resident memory under ${load} load with ${many} users`,
                  unit: 'MB',
                  values: turns.map(({ memory }) => memory[load].resident),
                }) as const,
            ),
            { name: `read system calls per GET, ${many} users`, unit: '', values: turns.map((each) => each.readCalls) },
          ] as const;
        }),
      ],
      rows: [
        throughputRow(contenders, `${getMany}, relative to ${getFew}`, getMany, getFew, 0.92),
        throughputRow(contenders, `${getMany}, relative to Koa on the same file`, getMany, bare.name, 1.2),
        throughputRow(contenders, `${postMany}, relative to ${postFew}`, postMany, postFew, 0.85),
        ...databases.flatMap(({ users, turns }) =>
          loads.map(
            (load): Row => ({
              name: `proportional memory under ${load} load with ${users.toLocaleString('en-US')} users`,
              limit: { kind: 'at most', value: maxMemoryMB[load], unit: 'MB' },
              values: turns.map(({ memory }) => memory[load].proportional),
              cpu: [],
            }),
          ),
        ),
        {
          name: 'additional memory with the larger database',
          limit: { kind: 'at most', value: 20, unit: 'MB' },
          values: databases[1].turns.map(
            ({ memory }, round) =>
              memory.read.resident - (databases[0].turns[round]?.memory.read.resident ?? Number.NaN),
          ),
          cpu: [],
        },
      ],
      notes: [
        'Of pages that n processes share, the proportional memory counts an nth: those of Node.js itself are shared by the benchmark here. A container is charged for the resident memory.',
        'One call reads the request from its connection. The others read pages of the index and of the table that are not in the 16 MB cache of SQLite, because the reads are spread over all users.',
        ...(bench.extent.quick ? ['A quick run stores 100,000 users instead of a million.'] : []),
      ],
    };
  },
};
