/** Looks up the `${NAME}` placeholders of the configuration file (docs/configuration.md, `secrets`). */
export abstract class Secrets {
  /**
   * The value of a secret. Throws the Fault `secret_unknown`, or `secrets_unavailable` if the provider is unreachable.
   */
  abstract get(name: string): Promise<string>;

  /**
   * Checks that the provider is reachable, and that the secret `name` can be read if it is given. Resolves with a line
   * for operators; throws a Fault as `get` does.
   */
  abstract check(name?: string): Promise<string>;

  abstract close(): Promise<void>;
}
