import { Fault, reasonOf } from './fault.ts';
import { withTimeout } from './interceptor.ts';

/** A part of the service whose health is checked. */
export interface Component {
  readonly name: string;
  /** Resolves with a line for operators; throws if the component is unhealthy. */
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
    return { healthy: false, message: reasonOf(error) };
  }
};

/** A check that takes at least this long before it fails was hanging; a faster one was refused. */
const hangingMs = 1_000;
const successPollMs = 50;
/** How long successful calls may replace checks, counted from the first one that does. */
const maxSubstitutionMs = 30_000;

/**
 * The check of a component that also serves requests. After a check that hung, the next ones also succeed with any call
 * that succeeds while they wait. This ends after 30 s, because reads may succeed while every write hangs. A check that
 * is refused always fails: otherwise a store that only serves reads, as on a full disk, would alternate between healthy
 * and unhealthy.
 */
export class CheckOrSuccess {
  private wasHanging = false;
  /** When a successful call first replaced a check, since a check last succeeded. */
  private substitutedSinceMs: number | undefined;

  constructor(
    private readonly check: () => Promise<string>,
    /** When a call last succeeded, by the clock of `performance.now()`. */
    private readonly lastSuccessMs: () => number,
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

  /** `components` is called for each check. */
  constructor(private readonly components: () => readonly Component[]) {}

  async report(): Promise<HealthReport> {
    const { last } = this;
    const ageMs = last === undefined || !isHealthy(last.report) ? maxAgeMs : performance.now() - last.atMs;
    if (ageMs >= freshMs) this.pending ??= this.check();
    return last !== undefined && ageMs < maxAgeMs ? last.report : (this.pending ?? this.check());
  }

  private async check(): Promise<HealthReport> {
    const entries = this.components().map(async (component) => [component.name, await healthOf(component)] as const);
    const report = new Map(await Promise.all(entries));
    this.last = { report, atMs: performance.now() };
    this.pending = undefined;
    return report;
  }
}
