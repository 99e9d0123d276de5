/** Attempts in progress at once, without slow ones. */
const maxConcurrency = 16;
/** An attempt that takes longer is slow: others take its slot, and its lane is limited. */
const slowAfterMs = 2_000;
/** How many attempts of one lane are in progress at once, at first and after a slow one. Each fast one adds one. */
const minOfLane = 4;
/** How many slow attempts are in progress at once, of all lanes together: those of other lanes have room for as many. */
const maxSlow = 16;
/** How many lanes are remembered, unless more have attempts. */
const maxLanes = 1_000;

/** The attempts of one lane, such as the mails to one domain. */
class Lane {
  private limit = minOfLane;
  isSlow = false;
  private inProgress = 0;
  private readonly waiting: ((isAdmitted: boolean) => void)[] = [];

  get isIdle(): boolean {
    return this.inProgress === 0 && this.waiting.length === 0;
  }

  /** Whether an attempt can be made. Over the limit, it waits for others of a fast lane, and is not made in a slow one. */
  async enter(): Promise<boolean> {
    if (this.inProgress < this.limit) {
      this.inProgress++;
      return true;
    }
    return !this.isSlow && new Promise((resolve) => void this.waiting.push(resolve));
  }

  /** An attempt takes too long. */
  slow(): void {
    this.isSlow = true;
    this.limit = minOfLane;
    for (const admit of this.waiting.splice(0)) admit(false);
  }

  leave(wasSlow: boolean): void {
    this.inProgress--;
    if (!wasSlow) {
      this.isSlow = false;
      this.limit = Math.min(this.limit + 1, maxConcurrency);
    }
    for (const admit of this.waiting.splice(0, this.limit - this.inProgress)) {
      this.inProgress++;
      admit(true);
    }
  }
}

/**
 * Limits the attempts of a queue that are in progress at once. Slow attempts do not count, and a lane whose attempts are
 * slow has few of them, so that it does not delay the others.
 */
export class DeliverySlots {
  private readonly lanes = new Map<string, Lane>();
  private occupied = 0;
  /** Attempts in progress that are slow, or whose lane was slow when they began. */
  private slow = 0;

  /** How many attempts can begin now. */
  get free(): number {
    return maxConcurrency - this.occupied;
  }

  get isHalfFree(): boolean {
    return this.occupied <= maxConcurrency / 2;
  }

  /**
   * Makes an attempt; resolves with undefined without one if its lane is slow and has as many as it may. `freed` is
   * called if the attempt is slow and leaves its slot.
   */
  async run<Result>(
    name: string | undefined,
    attempt: () => Promise<Result>,
    freed: () => void,
  ): Promise<Result | undefined> {
    this.occupied++;
    let isOccupied = true;
    const vacate = (): void => {
      if (isOccupied) this.occupied--;
      isOccupied = false;
    };
    const slow = (): void => {
      vacate();
      freed();
    };
    try {
      return name === undefined ? await attempt() : await this.runIn(name, attempt, slow);
    } finally {
      vacate();
    }
  }

  private async runIn<Result>(
    name: string,
    attempt: () => Promise<Result>,
    slow: () => void,
  ): Promise<Result | undefined> {
    const lane = this.laneOf(name);
    if ((lane.isSlow && this.slow >= maxSlow) || !(await lane.enter())) return undefined;
    let isSlow = false;
    let isCounted = lane.isSlow;
    if (isCounted) this.slow++;
    const timeout = setTimeout(() => {
      isSlow = true;
      lane.slow();
      if (!isCounted) this.slow++;
      isCounted = true;
      slow();
    }, slowAfterMs);
    try {
      return await attempt();
    } finally {
      clearTimeout(timeout);
      if (isCounted) this.slow--;
      lane.leave(isSlow);
    }
  }

  private laneOf(name: string): Lane {
    const known = this.lanes.get(name);
    if (known !== undefined) return known;
    while (this.lanes.size >= maxLanes && this.forgetOne());
    const lane = new Lane();
    this.lanes.set(name, lane);
    return lane;
  }

  /**
   * Forgets the oldest idle lane, and a slow one only if all are slow; false without an idle one. Does not read all lanes,
   * as each event may add one.
   */
  private forgetOne(): boolean {
    let slow: string | undefined;
    for (const [name, lane] of this.lanes) {
      if (!lane.isIdle) continue;
      if (!lane.isSlow) return this.lanes.delete(name);
      slow ??= name;
    }
    return slow !== undefined && this.lanes.delete(slow);
  }
}
