/** Work about the same key, which runs one after the other in this process. */
export class Turns<Key> {
  private readonly last = new Map<Key, Promise<unknown>>();

  /** Runs `work` after the work of the same key that was passed before, however that ended. */
  async take<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
    const previous = this.last.get(key);
    const turn = previous === undefined ? work() : previous.then(work, work);
    this.last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.last.get(key) === turn) this.last.delete(key);
    }
  }
}
