/**
 * The log for operators. Fields must not contain a password, token, hash, key or email address, except for `record`: the
 * key of a record that cannot be read, without which operators could not find it.
 */
export interface Log {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
