import { Fault } from './fault.ts';
import { withTimeout } from './interceptor.ts';

/** A part of the service whose health is checked: resolves with a line about it, or throws. */
export interface Component {
  readonly name: string;
  check(): Promise<string>;
}

/** The outcome of a check. */
export interface Health {
  readonly healthy: boolean;
  readonly message: string;
}

/** The health of components by their names. */
export type HealthReport = ReadonlyMap<string, Health>;

const checkTimeoutMs = 3_000;

const timeoutFault = (): Fault => new Fault('timed_out', `no response within ${checkTimeoutMs / 1000} s`);

/** Checks a component. The message of an error that is no Fault is left out, because it may hold a value. */
export const healthOf = async (component: Component): Promise<Health> => {
  try {
    return { healthy: true, message: await withTimeout(checkTimeoutMs, component.check(), timeoutFault) };
  } catch (error) {
    return { healthy: false, message: error instanceof Fault ? error.message : 'failed' };
  }
};

/** A check that failed after this long had waited for an answer, in milliseconds. */
const hangingMs = 1_000;
const successPollMs = 50;
/** The longest time in which successes of calls stand in for checks, from the first that does, in milliseconds. */
const maxSubstitutionMs = 30_000;

/**
 * The check of a component that also serves requests. After a check that timed out, the first success of any call ends
 * the wait of the next ones, for 30 s at most: later only a check that succeeds shows that the component is healthy,
 * because reads may succeed while every write hangs. A check that is refused at once fails in any case, so that a component
 * which only serves reads, on a full disk for instance, is not reported as healthy and unhealthy in turn.
 */
export class CheckOrSuccess {
  private wasHanging = false;
  /** When the success of a call first stood in for a check, since a check last succeeded. */
  private substitutedSinceMs: number | undefined;

  constructor(
    private readonly check: () => Promise<string>,
    /** When a call last succeeded, by the clock of `performance.now()`. */
    private readonly lastSuccessMs: () => number,
    /** How long successes of calls may stand in for checks, in milliseconds. */
    private readonly substitutionMs = maxSubstitutionMs,
  ) {}

  /** Resolves with a line about the component; throws the error of the check. */
  async run(): Promise<string> {
    const startedMs = performance.now();
    const checked = this.runCheck(startedMs);
    const substitutedMs = startedMs - (this.substitutedSinceMs ?? startedMs);
    if (!this.wasHanging || substitutedMs >= this.substitutionMs) return checked;
    let poll: NodeJS.Timeout | undefined;
    const succeeded = new Promise<string>((resolve) => {
      poll = setInterval(() => {
        if (this.lastSuccessMs() <= startedMs) return;
        this.substitutedSinceMs ??= startedMs;
        resolve('answers requests; its check waits for an answer');
      }, successPollMs);
    });
    return Promise.race([checked, succeeded]).finally(() => clearInterval(poll));
  }

  private async runCheck(startedMs: number): Promise<string> {
    try {
      const line = await this.check();
      this.wasHanging = false;
      this.substitutedSinceMs = undefined;
      return line;
    } catch (error) {
      this.wasHanging = performance.now() - startedMs >= hangingMs;
      throw error;
    }
  }
}

export const isHealthy = (report: HealthReport): boolean => [...report.values()].every(({ healthy }) => healthy);

/** A report older than this is refreshed in the background, in milliseconds. */
const freshMs = 1_000;
/** A report older than this is no longer returned, in milliseconds. */
const maxAgeMs = 4_000;

/**
 * Checks components at most once at a time, because a check costs a write to the disk or a round trip. While all are
 * healthy, a report of up to four seconds is returned at once; while one is not, every caller waits for a new check.
 */
export class HealthMonitor {
  private pending: Promise<HealthReport> | undefined;
  private last: { readonly report: HealthReport; readonly atMs: number } | undefined;

  constructor(private readonly components: readonly Component[]) {}

  async report(): Promise<HealthReport> {
    const { last } = this;
    const ageMs = last === undefined || !isHealthy(last.report) ? maxAgeMs : performance.now() - last.atMs;
    if (ageMs >= freshMs) this.pending ??= this.check();
    return last !== undefined && ageMs < maxAgeMs ? last.report : (this.pending ?? this.check());
  }

  private async check(): Promise<HealthReport> {
    const entries = this.components.map(async (component) => [component.name, await healthOf(component)] as const);
    const report = new Map(await Promise.all(entries));
    this.last = { report, atMs: performance.now() };
    this.pending = undefined;
    return report;
  }
}
