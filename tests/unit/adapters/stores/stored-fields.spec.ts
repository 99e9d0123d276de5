import { expect } from 'chai';
import * as fc from 'fast-check';
import * as dynamodb from '../../../../adapters/stores/dynamodb/items.ts';
import * as mongodb from '../../../../adapters/stores/mongodb/user-record.ts';
import * as sqlite from '../../../../adapters/stores/sqlite/sqlite-user-table.ts';
import type { StoredUser } from '../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import type { User } from '../../../../domain/user.ts';
import { usersOfEveryField } from '../../../../sdk/contract/arbitraries.ts';

const version = 'a-version';

/** A user as a store writes it and reads it again. */
const forms: Readonly<Record<string, (user: User) => StoredUser | undefined>> = {
  'a row of SQLite': (user) => sqlite.toStoredUser([...sqlite.toRow(user), version], keyOf(user.email.address)),
  'a document of MongoDB': (user) =>
    mongodb.toStoredUser({ ...mongodb.toRecord(user, version) }, keyOf(user.email.address)),
  'an item of DynamoDB': (user) => dynamodb.toStoredUser(dynamodb.toItem(user, version, [])),
};

describe('the fields of a stored user', () => {
  for (const [form, stored] of Object.entries(forms))
    it(`are all kept by ${form}`, () =>
      fc.assert(
        fc.property(usersOfEveryField, (user) => {
          expect(stored(user)).to.deep.equal({ user, version });
        }),
      ));
});
