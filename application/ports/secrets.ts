/** Where the `${NAME}` of the configuration file are looked up (specification, section 1, `secrets`). */
export abstract class Secrets {
  /** The value of a secret. Throws a Fault: `secret_unknown`, or `secrets_unavailable` when the provider can't be reached. */
  abstract get(name: string): Promise<string>;

  /**
   * Resolves with a line for operators when the provider answers; throws a Fault otherwise. `name` is a secret that the
   * service needs: with it, being well means that this one can be read.
   */
  abstract check(name?: string): Promise<string>;

  abstract close(): Promise<void>;
}
