import { join } from 'node:path';
import type { Bench, Section } from '../bench.ts';
import { contender } from '../contender.ts';
import { headers, latchkey } from '../latchkey.ts';
import { type Contender, interleave, throughputRow } from '../rounds.ts';
import { folderWith, seededDatabase } from '../users.ts';

/** More than there are connections by far: no two updates meet at one user. */
const users = 10_000;

const kinds = [
  { method: 'POST', operation: 'create' },
  { method: 'PUT', operation: 'update' },
] as const;

const counts = [
  { connections: 32, atLeast: 2 },
  { connections: 256, atLeast: 3 },
] as const;

const cases = counts.flatMap((count) => kinds.map((kind) => ({ ...kind, ...count })));

type Case = (typeof cases)[number];

const reference = ({ method, connections }: Case): string => `node:http, ${method}, ${connections}`;
const own = ({ method, connections }: Case): string => `Latchkey, ${method}, ${connections}`;

const contendersOf = (bench: Bench, database: string, each: Case): readonly Contender[] => {
  const load = { operation: each.operation, users, headers, connections: each.connections };
  return [
    {
      name: reference(each),
      load,
      prepare: () => {
        const folder = folderWith(bench, 'bare', database);
        return contender('node-http-sqlite', folder, { DATABASE: join(folder, 'users.db') });
      },
    },
    { name: own(each), load, prepare: () => latchkey(folderWith(bench, 'latchkey', database)) },
  ];
};

/** Writes that are on the disk before they are answered, over one flushed commit for each. */
export const write: Section = {
  name: 'write',
  title: 'Creating and updating users, durably',
  explanation:
    'POST and PUT `/users`, each on the disk before it is answered. The reference flushes once for each write; the service lets writes that arrive together share a flush, and keeps the wait off its event loop. What that saves is the wait for the disk: where a flush costs next to nothing, as on a virtual disk that only promises it, the reference shows it by its own figures, and there is little left to save.',
  run: async (bench) => {
    const database = await seededDatabase(bench, users);
    const contenders = await interleave(
      bench,
      cases.flatMap((each) => contendersOf(bench, database, each)),
    );
    return {
      contenders,
      figures: [],
      rows: cases.map((each) =>
        throughputRow(
          contenders,
          `${each.method} at ${each.connections} connections, over node:http with one flushed commit for each write`,
          own(each),
          reference(each),
          each.atLeast,
        ),
      ),
      notes: ['A write that shares a flush with others costs less than one that has it alone: that is the point.'],
    };
  },
};
