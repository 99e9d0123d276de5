/** An operation as its client saw it: the times of its call and response, and its effect on the state. */
export interface Operation<State> {
  readonly called: number;
  readonly answered: number;
  /** The state after the operation; undefined when its response is impossible in the given state. */
  readonly apply: (state: State) => State | undefined;
  /** Describes the operation in a failure. */
  readonly text: string;
}

/**
 * Checks a history for linearizability: whether an order exists, with each operation between its call and its response,
 * that explains every response. This is the search of Wing and Gong, with Lowe's cache of visited configurations.
 * Returns undefined, or the operations at which the search got stuck.
 */
export const findUnexplained = <State>(
  operations: readonly Operation<State>[],
  initial: State,
  keyOf: (state: State) => string,
): readonly string[] | undefined => {
  const all = [...operations].sort((one, other) => one.called - other.called);
  const tried = new Set<string>();
  let furthest = 0;
  let stuck: readonly string[] = [];

  /** The operations that may come next: those called before the first response among the remaining ones. */
  const candidates = (done: ReadonlySet<number>, from: number): number[] => {
    let firstAnswer = Number.POSITIVE_INFINITY;
    const found: number[] = [];
    for (let index = from; index < all.length; index++) {
      const operation = all[index]!;
      if (operation.called > firstAnswer) break;
      if (done.has(index)) continue;
      found.push(index);
      firstAnswer = Math.min(firstAnswer, operation.answered);
    }
    return found.filter((index) => all[index]!.called <= firstAnswer);
  };

  // An explicit stack, because a history is longer than the call stack is deep.
  interface Step {
    readonly state: State;
    readonly from: number;
    readonly count: number;
    readonly undo: number;
    readonly open: number[];
  }
  const done = new Set<number>();
  const step = (state: State, from: number, count: number, undo: number): Step => {
    let first = from;
    while (done.has(first)) first++;
    return { state, from: first, count, undo, open: candidates(done, first) };
  };
  const stack: Step[] = [step(initial, 0, 0, -1)];
  while (stack.length > 0) {
    const top = stack.at(-1)!;
    if (top.count === all.length) return undefined;
    const next = top.open.shift();
    if (next === undefined) {
      stack.pop();
      done.delete(top.undo);
      continue;
    }
    const state = all[next]!.apply(top.state);
    if (state === undefined) continue;
    done.add(next);
    const ahead = [...done].filter((index) => index >= top.from).sort((one, other) => one - other);
    const key = `${top.from}|${ahead.join(',')}|${keyOf(state)}`;
    if (tried.has(key)) {
      done.delete(next);
      continue;
    }
    tried.add(key);
    const following = step(state, top.from, top.count + 1, next);
    if (following.count > furthest) {
      furthest = following.count;
      stuck = following.open.map((index) => all[index]!.text);
    }
    stack.push(following);
  }
  return stuck.length > 0 ? stuck : all.map(({ text }) => text);
};
