import { asProperties } from '../../adapters/kit/user-json/user-writer.ts';
import type { CustomProperties, User } from '../../domain/user.ts';
import { addressOf } from './arbitraries.ts';

const edgeCase = (changes: Partial<Omit<User, 'email'>>, token: string | null = null): User => ({
  email: { address: addressOf('Edge.Case@Example.com'), verification: { verified: token !== null, token } },
  password: 'a stored password',
  creationTime: 1,
  lastUpdateTime: 2,
  properties: asProperties('{}'),
  ...changes,
});

const withProperties = (text: string): User => {
  JSON.parse(text);
  return edgeCase({ properties: asProperties(text) });
};

/** Properties with a list at this depth of the user object, which is level 1. */
const deepProperties = (levels: number): CustomProperties =>
  asProperties(`{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`);

/** Users with values that databases, drivers and number formats are known to change. All have the same address. */
export const edgeCaseUsers: Readonly<Record<string, User>> = {
  'names with $ and dots': withProperties('{"$set":{"$inc":1},"a.b":{"c.d":"$a"},"$where":"1"}'),
  'names that drivers read as types': withProperties(
    '{"_bsontype":"ObjectId","id":"x","$oid":"507f1f77bcf86cd799439011","S":{"N":"1"},"L":{"M":{}}}',
  ),
  'the names of own columns and fields': withProperties('{"key":1,"version":"v","_id":3,"address":4,"properties":{}}'),
  'empty names and values': withProperties('{"":{"":""},"a":[],"b":{},"c":null}'),
  'NUL in names and values': withProperties('{"a\\u0000b":"c\\u0000d","\\u0000":"\\u0000"}'),
  'NUL in the password and the token': edgeCase({ password: 'before\0after' }, '\0token\0'),
  'large, small and negative numbers': withProperties(
    `{"a":${2 ** 53 - 1},"b":${-(2 ** 53 - 1)},"c":1e308,"d":5e-324,"e":-0,"f":0.1,"g":-0.0,"h":1.10,"i":1E5}`,
  ),
  'the largest times': edgeCase({ creationTime: 2 ** 53 - 1, lastUpdateTime: 2 ** 53 - 1 }),
  '32 levels': edgeCase({ properties: deepProperties(32) }),
  'characters beyond the basic plane': edgeCase(
    { password: '𝒜𝓃𝓎 🔑', properties: asProperties('{"🦊":"👩‍👩‍👧","e":"\\ud83e\\udd8a","é":"e\u0301"}') },
    '🎟️',
  ),
  'escapes as they were written': withProperties('{"a":"\\u0041\\/","b":"\\ud800","c":"\\u2028\u2028\ufeff"}'),
  'texts that look like SQL, templates and dates': withProperties(
    '{"a":"\'; DROP TABLE users; --","b":"$& {{y}}","c":"2020-01-01T00:00:00Z","d":":name ?1"}',
  ),
  'names of inherited members': withProperties('{"constructor":1,"toString":2,"hasOwnProperty":3,"length":4}'),
  'the order of the properties': withProperties('{"z":1,"y":2,"10":3,"9":4,"a":5}'),
  'an empty token': edgeCase({}, ''),
  'white space at the ends': edgeCase(
    { password: ' a password\t\n ', properties: asProperties('{" a ":" b ","c":"\\t"}') },
    ' a token \n',
  ),
  'a long password': edgeCase({ password: 'p'.repeat(10_000) }),
};
