import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { mergeValues } from '../../sdk/contract/merge-patches.ts';
import { program } from '../process/installation.ts';
import { at, type Caller, type HttpResponse } from './caller.ts';
import { sqlite, withService } from './databases.ts';
import type { Guarantee } from './guarantee.ts';
import { findUnexplained, type Operation } from './linearizability-checker.ts';
import type { RandomStream } from './random.ts';
import { crowd, rivals } from './sharing.ts';

const password = 'a password of the history';

/** A stored user: its custom properties, and an identification of all that a response shows of it. */
interface Stored {
  readonly properties: unknown;
  readonly time: number;
  readonly etag: string;
  readonly key: string;
}

/** What is stored under an address. */
type State = Stored | 'absent';

const keyOf = (state: State): string => (state === 'absent' ? state : state.key);

const storedIn = ({ body, headers: { etag } }: HttpResponse): Stored => {
  const { email: _, password: __, creationTime: ___, lastUpdateTime: time, ...properties } = JSON.parse(body);
  return { properties, time, etag: String(etag), key: `${time} ${etag} ${JSON.stringify(properties)}` };
};

const same = (state: State, seen: State): State | undefined => (keyOf(state) === keyOf(seen) ? state : undefined);

/** A request: `ifMatch` is the entity tag of its If-Match, if it has one. */
interface Sent {
  readonly method: string;
  readonly body: unknown;
  readonly ifMatch: string | undefined;
}

/**
 * The state after a patch; undefined if the response shows another one. A patch that changes nothing writes nothing.
 */
const patched = (state: Stored, patch: unknown, seen: Stored): State | undefined => {
  const expected = JSON.stringify(mergeValues(state.properties, patch));
  if (expected === JSON.stringify(state.properties)) return same(state, seen);
  const isLater = seen.time > state.time && seen.etag !== state.etag;
  return isLater && expected === JSON.stringify(seen.properties) ? seen : undefined;
};

/** The effect that a response implies, for each method and status (docs/api.md, "Errors"). */
const effectOf = ({ method, body, ifMatch }: Sent, response: HttpResponse): Operation<State>['apply'] => {
  const applies = ({ etag }: Stored): boolean => ifMatch === undefined || ifMatch === etag;
  const outcome = `${method} ${response.status}`;
  switch (outcome) {
    case 'POST 201': {
      const created = storedIn(response);
      return (state) => (state === 'absent' ? created : undefined);
    }
    case 'POST 409':
      return (state) => (state === 'absent' ? undefined : state);
    case 'GET 200': {
      const seen = storedIn(response);
      return (state) => same(state, seen);
    }
    case 'PUT 200': {
      const next = storedIn(response);
      return (state) => (state !== 'absent' && applies(state) && next.time > state.time ? next : undefined);
    }
    case 'PATCH 200': {
      const next = storedIn(response);
      return (state) => (state !== 'absent' && applies(state) ? patched(state, body, next) : undefined);
    }
    case 'DELETE 200': {
      const removed = storedIn(response);
      return (state) => (same(state, removed) !== undefined && applies(removed) ? 'absent' : undefined);
    }
    case 'GET 404':
    case 'PUT 404':
    case 'PATCH 404':
    case 'DELETE 404':
      return (state) => (state === 'absent' ? state : undefined);
    case 'PUT 412':
    case 'PATCH 412':
    case 'DELETE 412':
      return (state) => (state !== 'absent' && !applies(state) ? state : undefined);
    // Concurrent writes always came first: nothing was changed.
    case 'PUT 409':
    case 'PATCH 409':
    case 'DELETE 503':
      return (state) => state;
    default:
      throw new Error(`unexpected answer: ${outcome} ${response.body}`);
  }
};

const bodyOf = (method: string, address: string, step: number, patch: () => object): unknown => {
  if (method === 'PATCH') return patch();
  return method === 'POST' || method === 'PUT' ? { email: { address }, password, step } : undefined;
};

/** The history of each address after operations of all clients. Each client chooses its own from a stream of its own. */
export const operate = async (
  caller: Pick<Caller, 'call'>,
  count: number,
  random: RandomStream,
  { clients, addresses, methods, conditional, patch, inTurn } = crowd,
) => {
  const histories = new Map(addresses.map((address): [string, Operation<State>[]] => [address, []]));
  // The newest entity tag that a client saw: others may have changed the user since.
  const tags = new Map<string, string>();
  const work = async (client: number): Promise<void> => {
    const ofClient = random.stream('client', client);
    for (let step = client + 1; step <= count; step += clients) {
      const [method, address] = [ofClient.pick(methods), ofClient.pick(addresses)];
      const body = bodyOf(method, address, step, () => patch(step, client, ofClient));
      const isConditional = ofClient.chance(conditional) && !['GET', 'POST'].includes(method);
      const ifMatch = isConditional ? tags.get(address) : undefined;
      const turn = step + clients > count ? `${client} last` : `${client}`;
      const headers = { password, ...(inTurn && { turn }), ...(ifMatch !== undefined && { 'If-Match': ifMatch }) };
      const called = performance.now();
      const response = await caller.call(method, method === 'POST' ? '/users' : at(address), body, headers);
      const answered = performance.now();
      if (response === undefined) throw new Error(`${method} was not answered`);
      if (typeof response.headers.etag === 'string') tags.set(address, response.headers.etag);
      const text = `${step} ${method} ${ifMatch ?? ''} ${response.status} ${response.body.slice(0, 300)}`;
      const apply = effectOf({ method, body, ifMatch }, response);
      histories.get(address)!.push({ called, answered, apply, text });
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  return histories;
};

export const expectLinearizable = (histories: Awaited<ReturnType<typeof operate>>): void => {
  for (const [address, operations] of histories) {
    const rest = findUnexplained<State>(operations, 'absent', keyOf);
    expect(rest, `no order of the operations explains the responses for ${address}`).to.equal(undefined);
  }
};

/** What makes a seed repeat the order of concurrent requests: a store in the process waits for nothing that it could stop. */
const preloadFor = (database: Database): string =>
  fileURLToPath(new URL(database === sqlite ? 'serve-in-rounds.js' : 'take-turns.js', import.meta.url));

/** The others, which no turns slow down, find what only many requests at a time show. */
const shareInTurn = 5 / 6;

/**
 * Many clients write to few addresses; the responses for each address must be linearizable. A round is one operation. Most
 * take turns.
 */
export const linearizability = (database: Database, rounds: Guarantee['rounds']): Guarantee => ({
  name: `no duplicate user and no lost update on ${database.name}: the responses are linearizable`,
  rounds,
  timeoutMs: 60_000,
  run: async (count, random) => {
    const inTurn = Math.floor(count * shareInTurn);
    const operations: Operation<State>[] = [];
    const check = (histories: Awaited<ReturnType<typeof operate>>): void => {
      expectLinearizable(histories);
      operations.push(...[...histories.values()].flat());
    };
    const turns = JSON.stringify({ seed: random.uuid(), clients: rivals.clients });
    await withService(
      database,
      async (caller) => {
        check(await operate(caller, inTurn, random.stream('in turn'), rivals));
        check(await operate(caller, count - inTurn, random));
      },
      {},
      (installation) => installation.serve({ TURNS: turns }, program, ['--import', preloadFor(database)]),
    );
    const stale = operations.filter(({ text }) => / 412 /.test(text)).length;
    const others = `${inTurn} of them in turn, of ${rivals.clients} clients on one`;
    return `${count} operations of ${crowd.clients} clients on ${crowd.addresses.length} addresses and, ${others}, ${stale} refused by If-Match, all linearizable`;
  },
});
