/** The keys, which are nobody's (RFC 2606, section 2), of records in which former versions listed the addresses that they reserved. */
export const formerLists: readonly string[] = Array.from(
  { length: 16 },
  (_, n) => `reservations-${n}@latchkey.invalid`,
);

/** What the record of a reserved address has, in former versions, too. A damaged user may have an empty password as well. */
export const reservedValues = { password: '', verificationToken: null, properties: '{}' } as const;

/** What tells a record that only reserves its key from that of a user. */
export const reservedValuesOf = (key: string): Readonly<Record<string, string | null>> =>
  formerLists.includes(key) ? { password: '' } : reservedValues;

/** Whether a record only reserves its key. */
export const isReserved = (key: string, record: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(reservedValuesOf(key)).every(([name, value]) => (record[name] ?? null) === value);
