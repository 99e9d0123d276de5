import { EmailAddress } from './email-address.ts';
import type { User } from './user.ts';

/** Whether a stored user only reserves its address: no password of a user is empty. */
export const isReservation = ({ password }: User): boolean => password === '';

/**
 * The addresses, which are nobody's (RFC 2606, section 2), of the reservations that record all others in their properties.
 */
export const reservationPages: readonly EmailAddress[] = Array.from(
  { length: 16 },
  (_, index) => `reservations-${index}@latchkey.invalid`,
).filter(EmailAddress.is);

const pageAddresses: ReadonlySet<string> = new Set(reservationPages);

/** Whether a user is a reservation that records others. */
export const isReservationPage = (user: User): boolean => isReservation(user) && pageAddresses.has(user.email.address);
