/**
 * The keys of the records in which former versions listed the addresses that they reserved. No user can have them (RFC 2606,
 * section 2).
 */
export const formerLists: readonly string[] = Array.from(
  { length: 16 },
  (_, n) => `reservations-${n}@latchkey.invalid`,
);

/** The values in the record of a reserved address, also in former versions. A damaged user may have an empty password, too. */
export const reservedValues = { password: '', verificationToken: null, properties: '{}' } as const;

/** What tells a record that only reserves its key from that of a user. */
export const reservedValuesOf = (key: string): Readonly<Record<string, string | null>> =>
  formerLists.includes(key) ? { password: '' } : reservedValues;

/** Whether a record only reserves its key. */
export const isReserved = (key: string, record: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(reservedValuesOf(key)).every(([name, value]) => (record[name] ?? null) === value);
