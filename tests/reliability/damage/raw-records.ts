import type { Damage } from './damages.ts';

/** An undelivered event as a store keeps it. */
export interface RawEvent {
  readonly id: string;
  readonly destination: string;
  readonly time: number;
  readonly body: string;
}

/** The records of a store, through the driver of its engine and past the service. */
export interface RawRecords {
  /** The names of the fields of a user's record, its key and version included. */
  readonly userFields: readonly string[];
  readonly eventFields: readonly string[];
  readonly counterFields: readonly string[];
  /** Damages a field of a user; false if the engine refuses such a value, or has no such record. */
  damageUser(key: string, field: string, damage: Damage): Promise<boolean>;
  /** Adds an event with a damaged field. */
  addEvent(event: RawEvent, field: string, damage: Damage): Promise<boolean>;
  /** Damages a field of every counter of wrong passwords whose key ends so. */
  damageCounter(keyEnd: string, field: string, damage: Damage): Promise<boolean>;
  /** Removes all users except for those, all events and all counters. */
  clear(keys: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** The members of an event that no engine adds. */
export const eventMembers = ['id', 'destination', 'time', 'body', 'due', 'attempts'] as const;

/** Runs a write; false if the engine refuses the value. */
export const accepted = async (write: () => unknown): Promise<boolean> => {
  try {
    return (await write()) !== false;
  } catch {
    return false;
  }
};
