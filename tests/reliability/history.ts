import { expect } from 'chai';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { Installation } from '../process/installation.ts';
import { type Answer, at, Caller } from './caller.ts';
import type { Promised } from './guarantee.ts';
import { type Operation, unexplained } from './linearizable.ts';

const clients = 64;
const addresses = Array.from({ length: 8 }, (_, index) => `shared-${index}@example.com`);
const password = 'a password of the history';

/** What is stored under an address: which operation wrote it, and the time that the service gave it. */
type State = { readonly step: number; readonly time: number } | 'absent';

const keyOf = (state: State): string => (state === 'absent' ? 'absent' : `${state.step}:${state.time}`);

const stateIn = ({ body }: Answer): Exclude<State, 'absent'> => {
  const { step, lastUpdateTime } = JSON.parse(body);
  return { step, time: lastUpdateTime };
};

const same = (state: State, seen: State): State | undefined => (keyOf(state) === keyOf(seen) ? state : undefined);

/** What an answer means for the state: how each status of each method is explained (specification, section 7). */
const meaning = (method: string, answer: Answer): Operation<State>['apply'] => {
  const outcome = `${method} ${answer.status}`;
  switch (outcome) {
    case 'POST 201':
      return (state) => (state === 'absent' ? stateIn(answer) : undefined);
    case 'POST 409':
      return (state) => (state === 'absent' ? undefined : state);
    case 'GET 200':
      return (state) => same(state, stateIn(answer));
    case 'PUT 200': {
      const next = stateIn(answer);
      return (state) => (state !== 'absent' && next.time > state.time ? next : undefined);
    }
    case 'DELETE 200':
      return (state) => (same(state, stateIn(answer)) === undefined ? undefined : 'absent');
    case 'GET 404':
    case 'PUT 404':
    case 'DELETE 404':
      return (state) => (state === 'absent' ? state : undefined);
    // Others were always first: nothing was changed.
    case 'PUT 409':
    case 'DELETE 503':
      return (state) => state;
    default:
      throw new Error(`unexpected answer: ${outcome} ${answer.body}`);
  }
};

const methods = ['GET', 'GET', 'GET', 'PUT', 'PUT', 'PUT', 'POST', 'POST', 'DELETE'] as const;

const pick = <T>(choices: readonly T[]): T => choices[Math.floor(Math.random() * choices.length)]!;

/** Many clients on few addresses; every answer has to fit into one order of all operations on its address. */
export const hasOneHistory = (database: Database, rounds: Promised['rounds']): Promised => ({
  name: `no double user and no lost update on ${database.name}: every answer is explained by one order of the operations`,
  rounds,
  patience: 60_000,
  run: async (count) => {
    const installation = await Installation.create();
    const { yaml, dispose } = await database.open();
    try {
      await installation.configure({ database: yaml });
      const { url } = await installation.serve();
      const caller = new Caller(url);
      const histories = new Map(addresses.map((address): [string, Operation<State>[]] => [address, []]));
      let steps = 0;
      const work = async (): Promise<void> => {
        while (steps < count) {
          const step = ++steps;
          const [method, address] = [pick(methods), pick(addresses)];
          const body = method === 'POST' || method === 'PUT' ? { email: { address }, password, step } : undefined;
          const called = performance.now();
          const answer = await caller.call(method, method === 'POST' ? '/users' : at(address), body, { password });
          const answered = performance.now();
          if (answer === undefined) throw new Error(`${method} was not answered`);
          const text = `${step} ${method} ${answer.status} ${answer.body.slice(0, 300)}`;
          histories.get(address)!.push({ called, answered, apply: meaning(method, answer), text });
        }
      };
      await Promise.all(Array.from({ length: clients }, work));
      caller.close();
      for (const [address, operations] of histories) {
        const rest = unexplained<State>(operations, 'absent', keyOf);
        expect(rest, `no order explains what happened to ${address}`).to.equal(undefined);
      }
      return `${steps} operations of ${clients} clients on ${addresses.length} addresses, all explained`;
    } finally {
      await installation.dispose();
      await dispose();
    }
  },
});
