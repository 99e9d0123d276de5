import type * as t from 'io-ts';
import type { Log } from '../../application/ports/log.ts';

/** What the service lends to an adapter. */
export interface AdapterContext {
  readonly log: Log;
  /** The deadline of a service operation in milliseconds: an adapter gives up before it. */
  readonly operationTimeout: number;
  /**
   * Whether the time of a look-up shall not tell that nobody was found (`privacy.hideUnknownUsers`). A store that is
   * reached through a network need not mind: a row or none is lost in the time of the way.
   */
  readonly evenReads?: boolean;
  /** The most memory that a password hash may use to verify one stored form, in KiB (`passwordHash.ceiling`). */
  readonly hashMemoryKiB?: number;
}

/** The face of every adapter folder: its name in the configuration, the codec of its options, and how it is opened. */
export interface AdapterDefinition<Configuration, Port> {
  readonly type: string;
  readonly configuration: t.Type<Configuration, unknown, unknown>;
  /**
   * Opens the adapter. It resolves also when what is behind it can't be reached just now: the adapter then answers
   * with Faults and recovers by itself. It throws only for a configuration that can never work.
   */
  open(configuration: Configuration, tools: AdapterContext): Promise<Port>;
}

/** Keeps the types of a definition together: a configuration that `open` can't take does not compile. */
export const defineAdapter = <Configuration, Port>(
  definition: AdapterDefinition<Configuration, Port>,
): AdapterDefinition<Configuration, Port> => definition;

/**
 * How long an adapter may look at what is behind it for its `check`, in milliseconds: shorter than the health check
 * waits, so that the line of the adapter says what is wrong.
 */
export const checkTimeoutMs = 2_500;
