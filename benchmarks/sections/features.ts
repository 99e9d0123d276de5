import { createServer } from 'node:http';
import type { Bench, Section } from '../bench.ts';
import { onExit } from '../cleanup.ts';
import { freePort } from '../free-port.ts';
import { headers, latchkey } from '../latchkey.ts';
import { type Contender, interleave, throughputRow } from '../rounds.ts';
import { folderWith, seededDatabase } from '../users.ts';

/** Far more than connections, so that concurrent updates never conflict. */
const users = 10_000;

const operations = [
  { method: 'GET', operation: 'read' },
  { method: 'POST', operation: 'create' },
  { method: 'PUT', operation: 'update' },
] as const;

interface Feature {
  readonly name: string;
  readonly blocks: Readonly<Record<string, unknown>>;
  /** The targets: this many times the throughput without it, of reads and of writes. */
  readonly reads: number;
  readonly writes: number;
}

/** Each feature by itself. With events a write stores one more row, and the service sends a webhook for it. */
const featuresWith = (webhook: string): readonly Feature[] => [
  {
    name: 'events',
    blocks: { events: { webhooks: [{ url: webhook, secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }] } },
    reads: 0.95,
    writes: 0.5,
  },
  { name: 'a throttle', blocks: { throttle: {} }, reads: 0.95, writes: 0.95 },
  {
    name: 'a mail queue',
    blocks: {
      email: { type: 'outbox', directory: 'outbox', fromAddress: 'Bench <bench@example.com>', queue: true },
    },
    reads: 0.95,
    writes: 0.95,
  },
];

/** Takes webhooks in this process, which is on the core of the load. Returns its URL. */
const receiver = async (): Promise<string> => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onExit(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}/`;
};

/** What optional features cost reads and writes that do not need them. */
export const features: Section = {
  name: 'features',
  title: 'Cost of optional features',
  explanation:
    'GET, POST and PUT `/users` with one feature switched on, relative to the same without it. Webhooks go to a server that only accepts them.',
  run: async (bench: Bench) => {
    const database = await seededDatabase(bench, users);
    const all = featuresWith(await receiver());
    const nameOf = (method: string, feature?: Feature) => `Latchkey, ${method}, ${feature?.name ?? 'nothing'} on`;
    const contenders = await interleave(
      bench,
      operations.flatMap(({ method, operation }) =>
        [undefined, ...all].map(
          (feature): Contender => ({
            name: nameOf(method, feature),
            load: { operation, users, headers, connections: 32 },
            prepare: () => latchkey(folderWith(bench, 'features', database), feature?.blocks),
          }),
        ),
      ),
    );
    return {
      contenders,
      figures: [],
      rows: all.flatMap((feature) =>
        operations.map(({ method, operation }) =>
          throughputRow(
            contenders,
            `${method} with ${feature.name}, relative to without`,
            nameOf(method, feature),
            nameOf(method),
            operation === 'read' ? feature.reads : feature.writes,
          ),
        ),
      ),
      notes: ['The service delivers webhooks meanwhile, as many as it can beside the load.'],
    };
  },
};
