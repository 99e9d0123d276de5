import { expect } from 'chai';
import type { Database } from '../../sdk/contract/http/harness.ts';
import type { HttpResponse } from './caller.ts';
import { withService } from './databases.ts';
import type { Guarantee } from './guarantee.ts';
import { findUnexplained, type Operation } from './linearizability-checker.ts';
import { by, outcomeOf, type Parameter, password, withNames } from './named-users.ts';

const clients = 64;
const keysOfGroup = 2;

/** Addresses and ids that only the users of one group have, so that its history stands alone. */
const groups = Array.from({ length: 8 }, (_, group) => ({
  addresses: Array.from({ length: keysOfGroup }, (_, n) => `shared-${group}-${n}@example.com`),
  ids: Array.from({ length: keysOfGroup }, (_, n) => `usr_${group}-${n}`),
}));

/** A stored user, with the entity tag of its version. */
interface Stored {
  readonly id: string;
  readonly address: string;
  readonly etag: string;
  readonly step: number;
}

/** The users of a group, by address. */
type State = readonly Stored[];

const keyOf = (state: State): string => state.map(({ id, address, etag }) => `${id} ${address} ${etag}`).join();

const storedIn = ({ body, headers: { etag } }: HttpResponse): Stored => {
  const { id, email, step } = JSON.parse(body);
  return { id, address: email.address, etag: String(etag), step };
};

const isSame = (one: Stored | undefined, other: Stored): boolean =>
  one !== undefined && keyOf([one]) === keyOf([other]) && one.step === other.step;

const withUser = (state: State, user: Stored): State =>
  [...state, user].sort((one, other) => (one.address < other.address ? -1 : 1));

/** A request; `parameter` and `value` name its user, or the address of a new one. */
interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly parameter: Exclude<Parameter, 'username'>;
  readonly value: string;
  readonly id: string;
  readonly address: string;
}

/** The effect that a response implies, for each method and refusal (docs/api.md, "Errors"). */
const effectOf = (
  { method, parameter, value, id, address }: Sent,
  response: HttpResponse,
): Operation<State>['apply'] => {
  const named = (state: State) => state.find((user) => (parameter === 'id' ? user.id : user.address) === value);
  const hasAddress = (state: State) => state.some((user) => user.address === address);
  const hasId = (state: State) => state.some((user) => user.id === id);
  const unless = (isWrong: (state: State) => boolean) => (state: State) => (isWrong(state) ? undefined : state);
  const outcome = `${method} ${outcomeOf(response)}`;
  switch (outcome) {
    case 'POST 201': {
      const created = storedIn(response);
      return (state) => (hasAddress(state) || hasId(state) ? undefined : withUser(state, created));
    }
    case 'POST 409 user_exists':
      return unless((state) => !hasAddress(state));
    case 'POST 409 id_taken':
      return unless((state) => hasAddress(state) || !hasId(state));
    case 'GET 200': {
      const seen = storedIn(response);
      return unless((state) => !isSame(named(state), seen));
    }
    case 'PUT 200': {
      const next = storedIn(response);
      return (state) => {
        const previous = named(state);
        if (previous === undefined || previous.id !== next.id) return undefined;
        const others = state.filter((user) => user !== previous);
        return hasAddress(others) ? undefined : withUser(others, next);
      };
    }
    case 'PUT 409 address_taken':
      return unless((state) => named(state) === undefined || named(state)?.address === address || !hasAddress(state));
    case 'DELETE 200': {
      const removed = storedIn(response);
      return (state) => (isSame(named(state), removed) ? state.filter((user) => user !== named(state)) : undefined);
    }
    case 'GET 404 user_not_found':
    case 'PUT 404 user_not_found':
    case 'DELETE 404 user_not_found':
      return unless((state) => named(state) !== undefined);
    // Concurrent writes always came first: nothing was changed.
    case 'PUT 409 conflict':
    case 'DELETE 503 contended':
      return (state) => state;
    default:
      throw new Error(`unexpected answer: ${outcome} ${response.body}`);
  }
};

const methods = ['GET', 'GET', 'GET', 'PUT', 'PUT', 'POST', 'POST', 'DELETE'] as const;

/**
 * Many clients create, move and delete few users, each named by an id or an address; the responses must be linearizable.
 * A round is one operation.
 */
export const identities = (database: Database, rounds: Guarantee['rounds']): Guarantee => ({
  name: `ids and addresses on ${database.name} find the same users: the responses are linearizable`,
  rounds,
  timeoutMs: 60_000,
  run: (count, random) =>
    withService(
      database,
      async (caller) => {
        const histories = new Map(groups.map((group): [object, Operation<State>[]] => [group, []]));
        let byId = 0;
        const work = async (client: number): Promise<void> => {
          const ofClient = random.stream('client', client);
          for (let step = client + 1; step <= count; step += clients) {
            const group = ofClient.pick(groups);
            const [method, id, address] = [
              ofClient.pick(methods),
              ofClient.pick(group.ids),
              ofClient.pick(group.addresses),
            ];
            const parameter = method === 'POST' ? 'email' : ofClient.pick(['id', 'email'] as const);
            const value = parameter === 'id' ? ofClient.pick(group.ids) : ofClient.pick(group.addresses);
            if (parameter === 'id') byId++;
            const created = method === 'POST' ? { id } : {};
            const body = { ...created, email: { address }, password, step };
            const path = method === 'POST' ? '/users' : by(parameter, value);
            const called = performance.now();
            const response = await caller.call(method, path, ['GET', 'DELETE'].includes(method) ? undefined : body, {
              password,
            });
            const answered = performance.now();
            if (response === undefined) throw new Error(`${method} was not answered`);
            const text = `${step} ${method} ${path} ${response.status} ${response.body.slice(0, 300)}`;
            const apply = effectOf({ method, parameter, value, id, address }, response);
            histories.get(group)?.push({ called, answered, apply, text });
          }
        };
        await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
        for (const operations of histories.values()) {
          const rest = findUnexplained<State>(operations, [], keyOf);
          expect(rest, 'no order of the operations explains the responses').to.equal(undefined);
        }
        return `${count} operations of ${clients} clients, ${byId} of them by id, on ${groups.length} groups of ${keysOfGroup} users, all linearizable`;
      },
      withNames,
    ),
});
