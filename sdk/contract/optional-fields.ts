import { expect } from 'chai';
import { assembleUser } from '../../adapters/kit/user-json/stored-user.ts';
import type { StoredUser, UserStore } from '../../application/ports/user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { fieldOf, type UserField, userFields } from '../../domain/user-fields.ts';
import { addressOf, userOf } from './arbitraries.ts';
import { written } from './outcomes.ts';

const fields: readonly UserField[] = userFields;

/** Values that stores tend to change: a time beyond 32 bits, a text with NUL. */
const samples: Readonly<Record<UserField['kind'], unknown>> = {
  address: 'Pending@example.com',
  flag: true,
  text: 'a\0 text ',
  time: 2 ** 52 + 1,
  id: 'an-Id_1.2:3',
  properties: '{"a":1.10}',
};

const withFields = (user: User, added: readonly UserField[]): User =>
  assembleUser(fields.map((field) => (added.includes(field) ? samples[field.kind] : (fieldOf(user, field) ?? null))));

/** The fields without which a field means nothing: those of the same part of the user. */
const othersOf = (field: UserField): readonly UserField[] =>
  field.of === 'user' || field.of === 'email' ? [] : fields.filter((other) => other.of === field.of && other !== field);

const subsetsOf = ([first, ...others]: readonly UserField[]): readonly (readonly UserField[])[] =>
  first === undefined ? [[]] : subsetsOf(others).flatMap((subset) => [subset, [first, ...subset]]);

/** Each optional field of the list, with the others of its part: a store that forgets one would enable a disabled user, for example. */
export const optionalFields = (opened: () => UserStore): void => {
  const find = (user: User): Promise<StoredUser | undefined> => opened().find(keyOf(user.email.address));

  const replaced = async (previous: StoredUser, next: User): Promise<StoredUser> => {
    const stored = written(await opened().replace(previous, next));
    expect((await find(next))?.user).to.deep.equal(next);
    return stored;
  };

  describe('keeps the optional field', () => {
    for (const field of fields.filter(({ presence }) => presence === 'optional')) {
      it(`${field.name} and its absence, also in a replacement and under a new address`, async () => {
        const without = userOf(`with-${field.name}@example.com`);
        const others = othersOf(field);
        const user = withFields(without, [field, ...others]);
        const stored = written(await opened().insert(user));
        expect((await find(user))?.user).to.deep.equal(user);
        let again = stored;
        for (const kept of subsetsOf(others))
          again = await replaced(await replaced(again, withFields(without, kept)), user);
        const moved = { ...user, email: { ...user.email, address: addressOf(`moved-${field.name}@example.com`) } };
        expect(await opened().remove(await replaced(again, moved))).to.equal('removed');
      });
    }
  });
};
