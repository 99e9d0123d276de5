import { isRight } from 'fp-ts/lib/Either.js';
import { BSON } from 'mongodb';
import { lineOf, userIn } from '../../adapters/json-lines/user-line.ts';
import { assembleUser } from '../../adapters/kit/user-json/stored-user.ts';
import { userJson } from '../../adapters/kit/user-json/user-writer.ts';
import * as dynamodb from '../../adapters/stores/dynamodb/items.ts';
import * as mongodb from '../../adapters/stores/mongodb/user-record.ts';
import { keyOf } from '../../domain/email-address.ts';
import { uniqueProperty } from '../../domain/property-folding.ts';
import type { User } from '../../domain/user.ts';
import { fieldOf, userFields } from '../../domain/user-fields.ts';
import { namesOf } from '../../domain/user-name.ts';
import { assert, assertEqual } from './fuzz-target.ts';

/** Unique properties of every kind. */
export const unique = [
  uniqueProperty('username', 'string', 'username'),
  uniqueProperty('nickname', 'string', 'caseless'),
  uniqueProperty('badge', 'string', 'exact'),
  uniqueProperty('number', 'integer', 'exact'),
];

const version = 'a-version';

/** Throws unless stores, responses and exports keep a user that a decoder has accepted. */
export const assertKept = (user: User): void => {
  const key = keyOf(user.email.address);
  const names = namesOf(user, unique);
  const values = userFields.map((field) => fieldOf(user, field) ?? null);
  assertEqual(assembleUser(values, key), user, 'SQL stores keep the user');
  const document = BSON.deserialize(BSON.serialize(mongodb.toRecord(user, version, names)));
  assertEqual(mongodb.toStoredUser(document, key)?.user, user, 'MongoDB keeps the user');
  const item = dynamodb.toItem(user, version, names);
  assertEqual(dynamodb.toStoredUser(item)?.user, user, 'DynamoDB keeps the user');
  assert(
    names.every((name) => name.isWellFormed()),
    'names can be encoded',
  );
  const { email, password, ...others } = JSON.parse(userJson(user));
  assertEqual([email.address, password], [user.email.address, user.password], 'the response has the user');
  for (const [name, value] of Object.entries(JSON.parse(user.properties))) assertEqual(others[name], value, name);
  const read = userIn(Buffer.from(lineOf(user)), 0);
  assert(isRight(read), 'an exported user can be imported');
  assertEqual(read.right, user, 'an export keeps the user');
};
