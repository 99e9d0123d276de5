import type { RandomStream } from './random.ts';

/** How many clients share some addresses, and what they do there. */
interface Sharing {
  readonly clients: number;
  readonly addresses: readonly string[];
  /** Whether one request runs at a time, as take-turns.js lets it. */
  readonly inTurn: boolean;
  readonly methods: readonly string[];
  /** The share of changes under If-Match. */
  readonly conditional: number;
  patch(step: number, client: number, random: RandomStream): object;
}

/** Sets a member, sets and removes members inside another one, or removes one, of the few that all patches share. */
const patchOf = (step: number, _: number, random: RandomStream): object =>
  random.pick([
    { [random.pick(['a', 'b', 'c'])]: step },
    { in: { [random.pick(['a', 'b'])]: step, c: null } },
    { a: null },
    { in: null },
  ]);

export const crowd: Sharing = {
  clients: 64,
  addresses: Array.from({ length: 8 }, (_, index) => `shared-${index}@example.com`),
  inTurn: false,
  methods: ['GET', 'GET', 'GET', 'PUT', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'POST', 'POST', 'DELETE'],
  conditional: 0.5,
  patch: patchOf,
};

const times = (count: number, method: string): readonly string[] => Array.from({ length: count }, () => method);

/**
 * Fewer than the connections and statements of any store, so that none waits for what another one holds.
 * Each patches a member of its own, so that a response shows every lost update.
 */
export const rivals: Sharing = {
  clients: 4,
  addresses: ['rivals@example.com'],
  inTurn: true,
  methods: ['DELETE', 'GET', ...times(2, 'PUT'), ...times(6, 'POST'), ...times(40, 'PATCH')],
  conditional: 0.1,
  patch: (step, client) => ({ [`of${client}`]: step }),
};
