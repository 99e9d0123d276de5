import type { Bench, Section } from '../bench.ts';
import { headers, latchkey } from '../latchkey.ts';
import { type Contender, interleave, throughputRow } from '../rounds.ts';
import { folderWith, seededDatabase } from '../users.ts';

/** Far more than connections, so that concurrent updates never conflict. */
const users = 10_000;

/** Sizes of the generations as V8 alone chooses them. */
const unbounded = ['--max-semi-space-size=64', '--heap-growing-percent=0'];

const cases = [
  { method: 'GET', operation: 'read', connections: 32, atLeast: 0.99 },
  { method: 'PUT', operation: 'update', connections: 32, atLeast: 0.99 },
  { method: 'PUT', operation: 'update', connections: 256, atLeast: 0.85 },
] as const;

type Case = (typeof cases)[number];

const nameOf = ({ method, connections }: Case, isBounded: boolean): string =>
  `${method}, ${connections} connections, ${isBounded ? 'bounded heap' : 'sizes of V8'}`;

const contenderOf = (bench: Bench, database: string, each: Case, isBounded: boolean): Contender => ({
  name: nameOf(each, isBounded),
  load: { operation: each.operation, users, headers, connections: each.connections },
  prepare: () => latchkey(folderWith(bench, 'heap', database), {}, isBounded ? {} : { flags: unbounded }),
});

/** What the bounds of the heap cost in throughput, and the memory that they keep it in. */
export const heap: Section = {
  name: 'heap',
  title: 'Bounds of the heap',
  explanation: 'The service, compared with itself where V8 alone chooses the sizes of both generations of the heap.',
  run: async (bench) => {
    const database = await seededDatabase(bench, users);
    const all = cases.flatMap((each) =>
      [true, false].map((isBounded) => contenderOf(bench, database, each, isBounded)),
    );
    const megabytes = new Map(all.map(({ name }): [string, number[]] => [name, []]));
    const contenders = await interleave(bench, all, (name, server) =>
      megabytes.get(name)?.push(server.proportionalBytes() / 1e6),
    );
    return {
      contenders,
      figures: [...megabytes].map(([name, values]) => ({ name: `${name}: proportional memory`, unit: 'MB', values })),
      rows: cases.map((each) => {
        const [bounded, unbounded] = [nameOf(each, true), nameOf(each, false)];
        return throughputRow(contenders, `${bounded}, relative to ${unbounded}`, bounded, unbounded, each.atLeast);
      }),
      notes: ['Over 256 connections the target is lower, because the bound keeps the process below 150 MB there, too.'],
    };
  },
};
