/** What a user looks like after a write. The states of a user are numbered in the order in which they were written. */
export interface UserState {
  readonly address: string;
  readonly password: string;
}

/** The outcome of a request of one user, as the client saw it. */
export type Outcome =
  /** 2xx; `state` is the number of the state in the response. */
  | { readonly kind: 'success'; readonly state: number }
  /** 401: the password is not the user's. */
  | { readonly kind: 'wrong password' }
  /** 404: no user has this address. */
  | { readonly kind: 'not found' }
  /** 409 to a creation: a user has this address. */
  | { readonly kind: 'taken' }
  /** 503, a broken connection, or 409 to a change. A write may have been applied, or may be applied later. */
  | { readonly kind: 'unknown' };

/** One request. The times are those of one monotonic clock, in milliseconds. */
export interface UserRequest {
  readonly called: number;
  readonly answered: number;
  /** The number of the state whose address and password were sent; undefined for a creation. */
  readonly credentials: number | undefined;
  /** The number of the state that a write makes; undefined for a read. */
  readonly writes: number | undefined;
  /** Whether a read asked that no earlier write is applied after its response (`Prefer: settled`). */
  readonly settles?: boolean;
  readonly outcome: Outcome;
}

/** The kinds of wrong responses and final states. */
export const violationKinds = [
  'lost write',
  'late write',
  'stale read',
  'old password accepted',
  'right password refused',
  'user not found',
  'duplicate user',
] as const;

export type ViolationKind = (typeof violationKinds)[number];

export interface Violation {
  readonly kind: ViolationKind;
  readonly request: UserRequest | undefined;
  /** The numbers of the states that were possible, ascending. */
  readonly possible: readonly number[];
  /** When the first of them was established; `request.called` is later. */
  readonly since: number;
}

/** The requests of one user, and what was stored at the end. */
export interface History {
  /** The states by number. State 0 is created by the first write; -1 means that no user exists yet. */
  readonly states: readonly UserState[];
  readonly requests: readonly UserRequest[];
  /** The numbers of the states of all documents of this user after the last request. */
  readonly stored: readonly number[];
}

/** A time at which a state was known to be stored: the user never goes back to an earlier one. */
interface Established {
  readonly at: number;
  readonly state: number;
}

/** The states that responses proved to be stored, each with the first time, both ascending. */
const establishedBy = (requests: readonly UserRequest[]): readonly Established[] => {
  const proven: Established[] = [{ at: Number.NEGATIVE_INFINITY, state: -1 }];
  const seen = requests.flatMap(({ answered, outcome }): Established[] => {
    if (outcome.kind === 'success') return [{ at: answered, state: outcome.state }];
    return outcome.kind === 'taken' ? [{ at: answered, state: 0 }] : [];
  });
  seen.sort((one, other) => one.at - other.at);
  for (const next of seen) if (next.state > proven.at(-1)!.state) proven.push(next);
  return proven;
};

const mayApply = ({ kind }: Outcome): boolean => kind === 'success' || kind === 'unknown';

const lastBefore = (time: number, proven: readonly Established[]): Established =>
  proven.findLast(({ at }) => at < time) ?? { at: Number.NEGATIVE_INFINITY, state: -1 };

/**
 * The numbers of the states of writes without an outcome that can't be applied any more: a settled read, called after
 * the response to the write, saw an earlier state.
 */
const settledBy = (requests: readonly UserRequest[]): ReadonlySet<number> => {
  const settled = new Set<number>();
  for (const { settles = false, called, outcome } of requests) {
    if (!settles || outcome.kind !== 'success') continue;
    for (const write of requests)
      if (write.writes !== undefined && write.writes > outcome.state && write.answered < called)
        settled.add(write.writes);
  }
  return settled;
};

/**
 * Finds the responses that are wrong in the history of a user. The user has one writer, which sends the next write
 * after the response to the last one, and every write is conditional on the version that it read. So the states follow
 * each other in the order of their numbers. A read may see any state between the newest one that was acknowledged, or
 * seen, before the read was called, and the newest one that was sent before the read was answered. A write whose
 * outcome is unknown is possible until a later state is established, or until a settled read shows that it was not
 * applied.
 */
export const findViolations = ({ states, requests, stored }: History): readonly Violation[] => {
  const proven = establishedBy(requests);
  const settled = settledBy(requests);
  const writes = requests.filter(({ writes, outcome }) => writes !== undefined && mayApply(outcome));

  const check = (request: UserRequest): ViolationKind | undefined => {
    const { credentials, outcome } = request;
    const possibleStates = possibleDuring(request);
    const [oldest = -1] = possibleStates;
    const possible = possibleStates.map((state) => states[state]);
    const sent = credentials === undefined ? undefined : states[credentials];
    switch (outcome.kind) {
      case 'success':
        if (settled.has(outcome.state)) return 'late write';
        if (sent === undefined) return oldest >= 0 ? 'duplicate user' : undefined;
        if (!possible.some((state) => state?.password === sent.password)) return 'old password accepted';
        return request.writes === undefined && outcome.state < oldest ? 'stale read' : undefined;
      case 'wrong password':
        return possible.some((state) => state?.password !== sent?.password) ? undefined : 'right password refused';
      case 'not found':
        return possible.some((state) => state?.address !== sent?.address) ? undefined : 'user not found';
      case 'taken':
      case 'unknown':
        return undefined;
    }
  };

  /** The numbers of the states that the request may have met, ascending. */
  const possibleDuring = (request: UserRequest): readonly number[] => {
    const oldest = lastBefore(request.called, proven).state;
    // The request's own write is not what it was checked against.
    const sent = writes.filter((write) => write !== request && write.called < request.answered);
    return [oldest, ...sent.flatMap(({ writes = -1 }) => (writes > oldest && !settled.has(writes) ? [writes] : []))];
  };

  const violations = requests.flatMap((request): Violation[] => {
    const kind = check(request);
    if (kind === undefined) return [];
    const since = lastBefore(request.called, proven).at;
    return [{ kind, request, possible: possibleDuring(request), since }];
  });

  const last = proven.at(-1)!;
  const end = { request: undefined, possible: [last.state], since: last.at };
  if (stored.length > 1) violations.push({ kind: 'duplicate user', ...end });
  if (stored.some((state) => settled.has(state))) violations.push({ kind: 'late write', ...end });
  if (Math.max(-1, ...stored) < last.state) violations.push({ kind: 'lost write', ...end });
  return violations;
};
