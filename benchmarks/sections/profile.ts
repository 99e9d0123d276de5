import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench, Section } from '../bench.ts';
import { contender } from '../contender.ts';
import { headers, latchkey } from '../latchkey.ts';
import type { Load } from '../load/load.ts';
import { type Parts, sharesOf } from '../profile.ts';
import type { Figure } from '../results.ts';
import { measure } from '../rounds.ts';
import { type Program, Server } from '../server.ts';
import { folderWith, seededDatabase } from '../users.ts';

const users = 1_000;
const load: Load = { operation: 'read', users, headers, connections: 32 };

const network = 'node:http and the sockets';

const parts: Parts = [
  [network, /^node:(_http|net|events|internal\/(stream|http|event|timers|async_hooks|process))/],
  [
    'Koa, its router and its middleware',
    /node_modules\/(koa|@koa|koa-compose|koa-bodyparser|co-body|parseurl|accepts|http-errors|statuses)\b/,
  ],
  ['SQLite', /node_modules\/(better-sqlite3|bindings)\b/],
  ['the driver', /node_modules\/(mongodb|bson|@aws-sdk|@aws|@smithy)\b/],
  ['the log', /node_modules\/(pino|sonic-boom)|adapters\/http\/request-(log|id)/],
  ['credentials of the client', /adapters\/http\/authentication/],
  ['measuring', /adapters\/(metrics|observed)/],
  ['routing, decoding and answering', /adapters\/http\//],
  ['password', /adapters\/hashes|application\/passwords|domain\/same-text/],
  ['bus and handler', /application\/|bootstrap\/deadline/],
  ['reading the row and writing the JSON', /adapters\/stores|domain\/|contenders\//],
];

const ends = fileURLToPath(new URL('../ends.js', import.meta.url));

/** What each part of a server costs for a read, in microseconds of processor time. */
export const profiled = async (
  bench: Bench,
  name: string,
  program: Program,
  sent: Load = load,
): Promise<readonly Figure[]> => {
  const folder = bench.folder('profile');
  const args = ['--cpu-prof', '--cpu-prof-dir', folder, '--import', ends, ...program.args];
  const server = await Server.start(bench.machine, { ...program, args });
  let cpu: number;
  try {
    ({ cpu } = await measure(bench, server, sent));
  } finally {
    await server.stop();
  }
  return [...sharesOf(folder, parts, network)]
    .sort(([, one], [, other]) => other - one)
    .map(([part, share]) => ({ name: `${name}: ${part}`, unit: 'µs', values: [share * cpu] }));
};

/** Where the processor time of a read goes. */
export const profile: Section = {
  name: 'profile',
  title: 'Where the time of a read goes',
  explanation:
    'The processor time of GET `/users` by the modules that spend it, from the profiler of V8 (`node --cpu-prof`) under the load of the section above. The builtins of the language count for whoever calls them. The profiler costs some microseconds itself, so that the sums are greater than the figures above.',
  run: async (bench) => {
    const database = await seededDatabase(bench, users);
    const koa = folderWith(bench, 'koa-sqlite', database);
    const bare = contender('koa-sqlite', koa, { DATABASE: join(koa, 'users.db') });
    const own = folderWith(bench, 'latchkey', database);
    const logging = folderWith(bench, 'latchkey', database);
    return {
      contenders: [],
      figures: [
        ...(await profiled(bench, 'Koa', bare)),
        ...(await profiled(bench, 'Latchkey', latchkey(own))),
        ...(await profiled(
          bench,
          'Latchkey, every request logged',
          latchkey(logging, { logging: { requests: 'all' } }),
        )),
      ],
      rows: [],
      notes: [],
    };
  },
};
