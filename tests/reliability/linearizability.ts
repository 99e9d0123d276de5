import { expect } from 'chai';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { at, type HttpResponse } from './caller.ts';
import { withService } from './databases.ts';
import type { Guarantee } from './guarantee.ts';
import { findUnexplained, type Operation } from './linearizability-checker.ts';

const clients = 64;
const addresses = Array.from({ length: 8 }, (_, index) => `shared-${index}@example.com`);
const password = 'a password of the history';

/** What is stored under an address: the number of the operation that wrote it, and its `lastUpdateTime`. */
type State = { readonly step: number; readonly time: number } | 'absent';

const keyOf = (state: State): string => (state === 'absent' ? 'absent' : `${state.step}:${state.time}`);

const stateIn = ({ body }: HttpResponse): Exclude<State, 'absent'> => {
  const { step, lastUpdateTime } = JSON.parse(body);
  return { step, time: lastUpdateTime };
};

const same = (state: State, seen: State): State | undefined => (keyOf(state) === keyOf(seen) ? state : undefined);

/** The effect that a response implies, for each method and status (specification, section 7). */
const effectOf = (method: string, response: HttpResponse): Operation<State>['apply'] => {
  const outcome = `${method} ${response.status}`;
  switch (outcome) {
    case 'POST 201':
      return (state) => (state === 'absent' ? stateIn(response) : undefined);
    case 'POST 409':
      return (state) => (state === 'absent' ? undefined : state);
    case 'GET 200':
      return (state) => same(state, stateIn(response));
    case 'PUT 200': {
      const next = stateIn(response);
      return (state) => (state !== 'absent' && next.time > state.time ? next : undefined);
    }
    case 'DELETE 200':
      return (state) => (same(state, stateIn(response)) === undefined ? undefined : 'absent');
    case 'GET 404':
    case 'PUT 404':
    case 'DELETE 404':
      return (state) => (state === 'absent' ? state : undefined);
    // Concurrent writes always came first: nothing was changed.
    case 'PUT 409':
    case 'DELETE 503':
      return (state) => state;
    default:
      throw new Error(`unexpected answer: ${outcome} ${response.body}`);
  }
};

const methods = ['GET', 'GET', 'GET', 'PUT', 'PUT', 'PUT', 'POST', 'POST', 'DELETE'] as const;

const pick = <T>(choices: readonly T[]): T => choices[Math.floor(Math.random() * choices.length)]!;

/** Many clients write to few addresses; the responses for each address must be linearizable. A round is one operation. */
export const linearizability = (database: Database, rounds: Guarantee['rounds']): Guarantee => ({
  name: `no duplicate user and no lost update on ${database.name}: the responses are linearizable`,
  rounds,
  timeoutMs: 60_000,
  run: (count) =>
    withService(database, async (caller) => {
      const histories = new Map(addresses.map((address): [string, Operation<State>[]] => [address, []]));
      let steps = 0;
      const work = async (): Promise<void> => {
        while (steps < count) {
          const step = ++steps;
          const [method, address] = [pick(methods), pick(addresses)];
          const body = method === 'POST' || method === 'PUT' ? { email: { address }, password, step } : undefined;
          const called = performance.now();
          const response = await caller.call(method, method === 'POST' ? '/users' : at(address), body, { password });
          const answered = performance.now();
          if (response === undefined) throw new Error(`${method} was not answered`);
          const text = `${step} ${method} ${response.status} ${response.body.slice(0, 300)}`;
          histories.get(address)!.push({ called, answered, apply: effectOf(method, response), text });
        }
      };
      await Promise.all(Array.from({ length: clients }, work));
      for (const [address, operations] of histories) {
        const rest = findUnexplained<State>(operations, 'absent', keyOf);
        expect(rest, `no order of the operations explains the responses for ${address}`).to.equal(undefined);
      }
      return `${steps} operations of ${clients} clients on ${addresses.length} addresses, all linearizable`;
    }),
});
