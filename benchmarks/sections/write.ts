import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Section } from '../bench.ts';
import { contender, neverFlushed } from '../contender.ts';
import { headers, latchkey } from '../latchkey.ts';
import { type Contender, interleave, throughputRow } from '../rounds.ts';
import { quantile } from '../statistics.ts';
import { folderWith, seededDatabase } from '../users.ts';

/** More than there are connections by far: no two updates meet at one user. */
const users = 10_000;

const kinds = [
  { method: 'POST', operation: 'create' },
  { method: 'PUT', operation: 'update' },
] as const;

const counts = [
  { connections: 32, atLeast: { POST: 2, PUT: 2.5 } },
  { connections: 256, atLeast: { POST: 3, PUT: 3 } },
] as const;

const cases = counts.flatMap((count) => kinds.map((kind) => ({ ...kind, ...count })));

type Case = (typeof cases)[number];

const reference = ({ method, connections }: Case): string => `node:http, ${method}, ${connections}`;
const own = ({ method, connections }: Case): string => `Latchkey, ${method}, ${connections}`;

const unflushed = ({ method, connections }: Case): string => `node:http, ${method}, ${connections}${neverFlushed}`;

const contendersOf = (bench: Bench, database: string, each: Case): readonly Contender[] => {
  const load = { operation: each.operation, users, headers, connections: each.connections };
  const bare = (name: string, environment: NodeJS.ProcessEnv): Contender => ({
    name,
    load,
    prepare: () => {
      const folder = folderWith(bench, 'bare', database);
      return contender('node-http-sqlite', folder, { DATABASE: join(folder, 'users.db'), ...environment });
    },
  });
  return [
    bare(reference(each), {}),
    bare(unflushed(each), { FLUSH: 'never' }),
    { name: own(each), load, prepare: () => latchkey(folderWith(bench, 'latchkey', database)) },
  ];
};

/** How long the disk takes to flush a page that was added to a file, in microseconds: the median of many times. */
const flushTime = (folder: string): number => {
  const file = openSync(join(folder, 'flushed'), 'w');
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 200 }, () => {
    writeSync(file, page);
    const started = performance.now();
    fdatasyncSync(file);
    return (performance.now() - started) * 1_000;
  });
  closeSync(file);
  return quantile(times, 0.5);
};

/** Writes that are on the disk before they are answered, over one flushed commit for each. */
export const write: Section = {
  name: 'write',
  title: 'Creating and updating users, durably',
  explanation:
    'POST and PUT `/users`, each on the disk before it is answered. The reference flushes once for each write; the service lets writes that arrive together share a flush, and keeps the wait off its event loop. What that saves is the wait for the disk: where a flush costs next to nothing, as on a virtual disk that only promises it, the reference shows it by its own figures, and there is little left to save.',
  run: async (bench) => {
    const database = await seededDatabase(bench, users);
    const look = () => flushTime(bench.folder('flush'));
    const before = look();
    const contenders = await interleave(
      bench,
      cases.flatMap((each) => contendersOf(bench, database, each)),
    );
    return {
      contenders,
      figures: [{ name: 'one flush of the disk, before and after', unit: 'µs', values: [before, look()] }],
      rows: cases.map((each) =>
        throughputRow(
          contenders,
          `${each.method} at ${each.connections} connections, over node:http with one flushed commit for each write`,
          own(each),
          reference(each),
          each.atLeast[each.method],
        ),
      ),
      notes: [
        'A write that shares a flush with others costs less than one that has it alone: that is the point. The reference that never flushes tells what its flushes take: what is left over it is what a client, a password and the rest of the service cost.',
      ],
    };
  },
};
