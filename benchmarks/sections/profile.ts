import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench, Section } from '../bench.ts';
import { contender } from '../contender.ts';
import { type Parts, sharesOf } from '../cpu-profile.ts';
import { headers, latchkey } from '../latchkey.ts';
import type { Load } from '../load/load.ts';
import type { Figure } from '../results.ts';
import { measure } from '../rounds.ts';
import { type Program, Server } from '../server.ts';
import { folderWith, seededDatabase } from '../users.ts';

const users = 1_000;
const load: Load = { operation: 'read', users, headers, connections: 32 };

const network = 'node:http and sockets';

const parts: Parts = [
  [network, /^node:(_http|net|events|internal\/(stream|http|event|timers|async_hooks|process))/],
  [
    'Koa, router and middleware',
    /node_modules\/(koa|@koa|koa-compose|koa-bodyparser|co-body|parseurl|accepts|http-errors|statuses)\b/,
  ],
  ['SQLite', /node_modules\/(better-sqlite3|bindings)\b/],
  ['database driver', /node_modules\/(mongodb|bson|@aws-sdk|@aws|@smithy)\b/],
  ['logging', /node_modules\/(pino|sonic-boom)|adapters\/http\/server\/request-(log|id)/],
  ['client authentication', /adapters\/http\/authentication/],
  ['metrics', /adapters\/observability\//],
  [
    'password check',
    /adapters\/(password-hashes|kit\/in-memory-password-cache)|application\/(passwords|constant-time)/,
  ],
  ['routing, decoding and responding', /adapters\/(http|kit)\//],
  ['bus and handler', /application\//],
  ['reading the row and writing JSON', /adapters\/stores|domain\/|contenders\//],
];

const exitOnSigterm = fileURLToPath(new URL('../exit-on-sigterm.js', import.meta.url));

/** CPU time of each part of a server for one read, in microseconds. */
export const profiled = async (
  bench: Bench,
  name: string,
  program: Program,
  sent: Load = load,
): Promise<readonly Figure[]> => {
  const folder = bench.folder('profile');
  const args = ['--cpu-prof', '--cpu-prof-dir', folder, '--import', exitOnSigterm, ...program.args];
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

/** CPU time of a read by module. */
export const profile: Section = {
  name: 'profile',
  title: 'CPU time of a read',
  explanation:
    'CPU time of GET `/users` by module, from the V8 profiler (`node --cpu-prof`) under the load of the previous section. The profiler adds some microseconds.',
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
          'Latchkey, all requests logged',
          latchkey(logging, { logging: { requests: 'all' } }),
        )),
      ],
      rows: [],
      notes: [],
    };
  },
};
