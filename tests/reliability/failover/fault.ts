/** A fault of several servers of a database. */
export interface Fault<Servers> {
  /** Completes the sentence "on … servers … loses no write, and every response is correct". */
  readonly name: string;
  readonly rounds: { readonly short: number; readonly long: number };
  /** The services that can reach a working primary during the fault; the outage is measured on them. */
  readonly services: readonly number[];
  /** Whether no request may fail. */
  readonly isPlanned?: boolean;
  /**
   * Causes the fault in servers that are healthy, and ends it. Resolves with what was done, for the report of a failure.
   */
  cause(servers: Servers, primary: number, round: number): Promise<string>;
}
