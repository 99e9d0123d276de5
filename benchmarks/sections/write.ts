import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Section } from '../bench.ts';
import { contender, notFlushed } from '../contender.ts';
import { headers, latchkey } from '../latchkey.ts';
import { type Contender, interleave, throughputRow } from '../rounds.ts';
import { quantile } from '../statistics.ts';
import { folderWith, seededDatabase } from '../users.ts';

/** Far more than connections, so that concurrent updates never conflict. */
const users = 10_000;

const kinds = [
  { method: 'POST', operation: 'create' },
  { method: 'PUT', operation: 'update' },
] as const;

const cases = [32, 256].flatMap((connections) => kinds.map((kind) => ({ ...kind, connections })));

type Case = (typeof cases)[number];

/** Above this time for a flush, sharing flushes has to save more. */
const slowFlushMicroseconds = 100;

/** The target: at least this many times the throughput of the reference. */
const atLeast = ({ method, connections }: Case, flushMicroseconds: number): number => {
  if (connections > 32) return 3;
  return method === 'PUT' && flushMicroseconds > slowFlushMicroseconds ? 2.5 : 2;
};

const reference = ({ method, connections }: Case): string => `node:http, ${method}, ${connections}`;
const own = ({ method, connections }: Case): string => `Latchkey, ${method}, ${connections}`;

const unflushed = ({ method, connections }: Case): string => `node:http, ${method}, ${connections}${notFlushed}`;

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

/** Median time to flush a page appended to a file, in microseconds. */
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

/** Durable writes, compared with one flushed commit for each write. */
export const write: Section = {
  name: 'write',
  title: 'Durable writes',
  explanation:
    'POST and PUT `/users`, flushed to disk before the response. The reference flushes every write by itself; Latchkey shares a flush between concurrent writes, which saves little on a disk that does not really flush.',
  run: async (bench) => {
    const database = await seededDatabase(bench, users);
    const flushTimeNow = () => flushTime(bench.folder('flush'));
    const before = flushTimeNow();
    const contenders = await interleave(
      bench,
      cases.flatMap((each) => contendersOf(bench, database, each)),
    );
    const after = flushTimeNow();
    const flush = (before + after) / 2;
    bench.log(`  a disk flush takes ${flush.toFixed(0)} µs`);
    return {
      contenders,
      figures: [{ name: 'disk flush, before and after', unit: 'µs', values: [before, after] }],
      rows: cases.map((each) =>
        throughputRow(
          contenders,
          `${each.method}, ${each.connections} connections, relative to node:http with one flush per write`,
          own(each),
          reference(each),
          atLeast(each, flush),
        ),
      ),
      notes: [
        `A disk flush took ${flush.toFixed(0)} µs. Above ${slowFlushMicroseconds} µs the target for PUT with 32 connections is 2.5×, otherwise 2×.`,
        'A write that shares a flush with others costs less than one with its own flush. The reference without flushes shows the cost of its flushes; the remaining difference is the cost of client authentication, password and the rest of the service.',
      ],
    };
  },
};
