import { map } from 'fp-ts/lib/Either.js';
import { Fault } from '../../application/fault.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Mailer } from '../../application/ports/mailer.ts';
import type { PasswordHash } from '../../application/ports/password-hash.ts';
import type { Secrets } from '../../application/ports/secrets.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';
import { Block, type Options } from './option-block.ts';
import type { Codec, Decoded } from './option-codecs.ts';

/** The settings and services that every adapter gets when it is opened. */
export interface AdapterContext {
  readonly log: Log;
  /** The time of the service; `systemClock` by default. */
  readonly clock?: Clock | undefined;
  /** The timeout of a service operation in milliseconds. The adapter must time out earlier. */
  readonly operationTimeoutMs: number;
  /**
   * Whether a look-up that finds no user must take as long as one that finds a user (`privacy.hideUnknownUsers`).
   * Stores behind a network need as many reads for both: the variation of the network hides smaller differences.
   */
  readonly hideUnknownUsers?: boolean;
  /** Whether users have ids or unique properties, so that a store has to write and find their names. */
  readonly keepsNames?: boolean;
  /** How many processes of the service use the store on this machine; 1 by default. Only a check needs it. */
  readonly workers?: number;
  /** The most memory that verifying one stored hash may take, in KiB (`passwordHash.ceiling`). */
  readonly hashMemoryKiB?: number;
  /**
   * Whether a store is opened for a command that only reads: `check`, `export` or a dry run of an import. It then changes
   * nothing, not even the schema of a database of a former version, and throws MissingDatabase instead of creating one,
   * from `open` or from its first call. A mailer is opened with it for `check`, which sends nothing.
   */
  readonly readOnly?: boolean;
}

/** A store was opened with `readOnly`, and its database does not exist. */
export class MissingDatabase extends Fault {
  // Fault recognizes its instances by a mark, because an adapter package may bundle a copy of the class. Without this
  // override, every Fault would be an instance of MissingDatabase.
  static override [Symbol.hasInstance](value: unknown): value is MissingDatabase {
    return value instanceof Fault && 'canBeCreated' in value;
  }

  constructor(
    readonly path: string,
    /** Whether the service can create the database when it starts. */
    readonly canBeCreated: boolean,
  ) {
    super('store_rejected', `${path}: the database does not exist`);
  }
}

/** What a database lacks, for a store whose service may have to leave it to another role (`latchkey migrate`). */
export interface Migration {
  /** For operators, one line each; everything if the database could not be compared. */
  readonly missing: readonly string[];
  /** Creates what is missing: a script for a program of the database. */
  readonly script: string;
  /** Why the database could not be compared. */
  readonly failure: Fault | undefined;
  /** Creates what is missing. Throws a Fault; it may be repeated then. */
  create(): Promise<void>;
  close(): Promise<void>;
}

/** An adapter: its name in the configuration, the codec of its options, and the function that opens it. */
export interface AdapterDefinition<Configuration, Port> {
  readonly type: string;
  readonly configuration: Codec<Configuration, unknown>;
  /**
   * Opens the adapter. Resolves even while the system behind it is unavailable: the adapter then throws Faults and
   * recovers by itself. Rejects only for a configuration that can never work.
   */
  open(configuration: Configuration, context: AdapterContext): Promise<Port>;
  /** Compares the database with what the store needs, and changes nothing. Absent where the store prepares it itself. */
  migration?(configuration: Configuration, context: AdapterContext): Promise<Migration>;
}

/** Returns the definition; the compiler checks that `open` accepts what the codec of the options decodes to. */
export const defineAdapter = <Configuration, Port>(
  definition: AdapterDefinition<Configuration, Port>,
): AdapterDefinition<Configuration, Port> => definition;

/**
 * Timeout of an adapter's `check`. Shorter than that of the health check, so that the health check can show the reason.
 */
export const checkTimeoutMs = 2_500;

const shareOf = (operationTimeoutMs: number, share: number): number =>
  Math.max(1, Math.floor(operationTimeoutMs * share));

/** Timeout of a call of a store. Shorter than that of the operation, so that the Fault names the reason. */
export const callTimeoutMs = (operationTimeoutMs: number): number => shareOf(operationTimeoutMs, 0.9);

/** Timeout of a mail. Shorter than that of a call of a store, because the same operation also reads and writes users. */
export const mailTimeoutMs = (operationTimeoutMs: number): number => shareOf(operationTimeoutMs, 0.8);

/** Opens an adapter whose options are decoded. It rejects only for a configuration that can never work. */
export interface OpenAdapter<Port> {
  (context: AdapterContext): Promise<Port>;
  /** The same of the definition. */
  readonly migration?: (context: AdapterContext) => Promise<Migration>;
}

/** An adapter that the configuration can name, without the type of its options. */
export interface AdapterFactory<Port> {
  /** The adapter's options, for unknown keys and the documentation. Undefined when its codec is not a block. */
  readonly options: Options | undefined;
  /** Decodes the adapter's own keys of a block. */
  prepare(keys: unknown): Decoded<OpenAdapter<Port>>;
}

export const adapterFactory = <Configuration, Port>(
  definition: AdapterDefinition<Configuration, Port>,
): AdapterFactory<Port> => ({
  options: definition.configuration instanceof Block ? definition.configuration.options : undefined,
  prepare: (keys) =>
    map((configuration: Configuration): OpenAdapter<Port> => {
      const open = (opened: AdapterContext) => definition.open(configuration, opened);
      if (definition.migration === undefined) return open;
      return Object.assign(open, { migration: definition.migration.bind(definition, configuration) });
    })(definition.configuration.decode(keys)),
});

/** The ports that adapters of other packages can implement, by name. */
export interface Ports {
  readonly UserStore: StorePorts;
  readonly Mailer: Mailer;
  readonly Secrets: Secrets;
  readonly PasswordHash: PasswordHash;
}

export type PortName = keyof Ports;

/** The version of each port. It is increased when existing adapters would have to change. */
export const portVersions = { UserStore: 3, Mailer: 2, Secrets: 2, PasswordHash: 2 } as const satisfies Record<
  PortName,
  number
>;

/** An adapter of another package: a definition with the name and the version of the port that it implements. */
export interface AdapterModule<Name extends PortName, Configuration>
  extends AdapterDefinition<Configuration, Ports[Name]> {
  readonly port: Name;
  readonly portVersion: (typeof portVersions)[Name];
}

/**
 * Returns the definition; the compiler checks that `open` returns the named port in its current version. The package
 * exports the result as its default, or as `adapter`.
 */
export const defineModule = <Name extends PortName, Configuration>(
  definition: AdapterModule<Name, Configuration>,
): AdapterModule<Name, Configuration> => definition;
