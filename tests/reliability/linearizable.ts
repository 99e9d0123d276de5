/** An operation as its client saw it: when it was called and answered, and what it says about the state before and after. */
export interface Operation<State> {
  readonly called: number;
  readonly answered: number;
  /** The state after it, or undefined when its answer can't be explained in this state. */
  readonly apply: (state: State) => State | undefined;
  /** For the report of a history that can't be explained. */
  readonly text: string;
}

/**
 * Whether there is an order of the operations, each at some moment between its call and its answer, that explains every
 * answer: linearizability, by the search of Wing and Gong with Lowe's memory of what was tried. Resolves with undefined,
 * or with the operations that no order explains.
 */
export const unexplained = <State>(
  operations: readonly Operation<State>[],
  initial: State,
  keyOf: (state: State) => string,
): readonly string[] | undefined => {
  const all = [...operations].sort((one, other) => one.called - other.called);
  const tried = new Set<string>();
  let furthest = 0;
  let stuck: readonly string[] = [];

  /** The operations that may come next: called before the first answer among those that are left. */
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

  // Depth first, with a stack of its own: a history is longer than the stack of calls is deep.
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
