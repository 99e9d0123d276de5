import { expect } from 'chai';
import { assembleUser } from '../../adapters/kit/stored-user.ts';
import type { StoredUser, UserStore } from '../../application/ports/user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import { fieldOf, type User, type UserField, userFields } from '../../domain/user.ts';
import { addressOf, userOf } from './arbitraries.ts';

const fields: readonly UserField[] = userFields;

/** Values that stores tend to change: a time beyond 32 bits, a text with NUL. */
const samples: Readonly<Record<UserField['kind'], unknown>> = {
  address: 'Pending@example.com',
  flag: true,
  text: 'a\0 text ',
  time: 2 ** 52 + 1,
  properties: '{"a":1.10}',
};

const withField = (user: User, added: UserField): User =>
  assembleUser(fields.map((field) => (field === added ? samples[field.kind] : (fieldOf(user, field) ?? null))));

/** Each optional field of the list, alone: a store that forgets one would enable a disabled user, for example. */
export const optionalFields = (opened: () => UserStore): void => {
  const find = (user: User): Promise<StoredUser | undefined> => opened().find(keyOf(user.email.address));

  const replaced = async (previous: StoredUser, next: User): Promise<StoredUser> => {
    const written = await opened().replace(previous, next);
    if (typeof written === 'string') throw new Error(`a replacement is ${written}`);
    expect((await find(next))?.user).to.deep.equal(next);
    return written;
  };

  describe('keeps the optional field', () => {
    for (const field of fields.filter(({ presence }) => presence === 'optional')) {
      it(`${field.name} and its absence, also in a replacement and under a new address`, async () => {
        const without = userOf(`with-${field.name}@example.com`);
        const user = withField(without, field);
        const stored = await opened().insert(user);
        if (stored === 'taken') throw new Error('the address of a new user is taken');
        expect((await find(user))?.user).to.deep.equal(user);
        const again = await replaced(await replaced(stored, without), user);
        const moved = { ...user, email: { ...user.email, address: addressOf(`moved-${field.name}@example.com`) } };
        expect(await opened().remove(await replaced(again, moved))).to.equal('removed');
      });
    }
  });
};
