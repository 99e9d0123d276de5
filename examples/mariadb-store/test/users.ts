import { EmailAddress, type EmailKey, keyOf, noProperties, type User } from 'latchkey/ports';

/** A new user with this address. */
export const userOf = (address: string): User => {
  if (!EmailAddress.is(address)) throw new TypeError('not an email address');
  return {
    email: { address, verification: { verified: false, token: null } },
    password: 'a stored password',
    creationTime: 1,
    lastUpdateTime: 1,
    properties: noProperties,
  };
};

export const keyOfUser = ({ email }: User): EmailKey => keyOf(email.address);
