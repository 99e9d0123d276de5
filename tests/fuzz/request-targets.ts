import { parse } from 'node:querystring';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import {
  after,
  afterInOrder,
  cursorOf,
  positionIn,
  sorts,
} from '../../adapters/http/admin/administration/list-cursors.ts';
import * as list from '../../adapters/http/admin/administration/list-parameters.ts';
import { responseType } from '../../adapters/http/api/page-routes.ts';
import { queryOf, queryValue, token } from '../../adapters/http/api/parameters.ts';
import { userKeys } from '../../adapters/http/api/user-key.ts';
import { systemClock } from '../../adapters/system-clock.ts';
import { asciiDomain, checkSpelling, EmailAddress, keyOf, keyPrefix, mailboxOf } from '../../domain/email-address.ts';
import { isUserName, nameOfMailbox, nameOfProperty, propertyIn } from '../../domain/user-name.ts';
import { assert, assertEqual, errorTexts, type FuzzTarget } from './fuzz-target.ts';
import { anyRequest } from './header-targets.ts';
import { unique } from './kept-users.ts';

const keys = userKeys({ ids: true, unique });
const { address, addressContains, verified, stateIn, inactiveTime, property, value, sort, total } = list;
const inQueries = [
  ...[keys.query(), keys.optionalQuery('An address.'), keys.written, token, responseType],
  ...[
    address,
    addressContains,
    verified,
    stateIn(true),
    inactiveTime(systemClock),
    property,
    value,
    sort,
    total,
    after,
    afterInOrder,
  ],
];
/** More than the longest key of an address has: letters can take more bytes in lower case. */
const maxPositionBytes = 600;
const known = errorTexts();
const ascii = /^[\0-\x7f]*$/;

/** What clients name: users, places in lists, and what they look for. */
export const requestTargets: Readonly<Record<string, FuzzTarget>> = {
  addresses: {
    seeds: [
      'jane@example.com',
      '"jane doe"@example.com',
      'ΣΊΣΥΦΟΣ@bücher.example',
      'İ@example.com',
      'j.a.ne+tag@googlemail.com',
      'ßtraße@xn--strae-oqa.de',
      '"a\\"b"@x',
      'jane@[127.0.0.1]',
    ],
    run: (data) => {
      const text = data.toString();
      assert(keyPrefix(text).isWellFormed() || !text.isWellFormed(), 'a folded text can be encoded');
      if (!EmailAddress.is(text)) return;
      const key = keyOf(text);
      assert(keyPrefix(key) === key, 'a key is its own key');
      assert(!isUserName(key), 'a key is no name');
      const mailbox = mailboxOf(text);
      assert(mailbox.includes('@') && isUserName(nameOfMailbox(text)), 'a mailbox has a name');
      assert(propertyIn(nameOfMailbox(text)) === undefined, 'a mailbox is no property');
      const domain = text.slice(text.lastIndexOf('@') + 1);
      const converted = asciiDomain(domain);
      if (isRight(checkSpelling(text)) && !ascii.test(domain)) assert(converted === domain, 'mail reaches a domain');
      if (converted !== undefined) assert(asciiDomain(converted) === converted, 'a converted domain is its own');
    },
  },
  uniqueNames: {
    seeds: ['Jane', 'ᾳ', 'ＪＡＮＥ', '007', '-12', 'a b', 'ſ', '٠١', 'א1'],
    run: (data) => {
      const text = data.toString();
      for (const one of unique) {
        const folded = one.fold(text);
        if (folded === undefined) continue;
        assertEqual(one.fold(folded), folded, `a folded value of ${one.name} is its own`);
        const name = nameOfProperty(one, text);
        assert(name !== undefined && propertyIn(name) === one.name, 'a name has its property');
      }
    },
  },
  queries: {
    seeds: [
      'email=jane%40example.com&token=4f8c1b0e&response_type=html',
      'id=0198f0a2-7c3b&email=a@b.de',
      'username=J%C3%A4ne&password=+&a=%zz&&=1',
      'sort=-creationTime&after=LWNyZWF0aW9uVGltZSAxIGE&verified=true&state=blocked&total=true',
      'property=plan&value=paid&address=Jane&addressContains=%40&inactiveSince=90d',
    ],
    run: (data) => {
      const text = data.toString('latin1');
      const query = queryOf({ querystring: text });
      const expected = parse(text, '&', '=', { maxKeys: 0 });
      for (const [name, values] of Object.entries(expected))
        if (name !== '' && ascii.test(text)) assertEqual(queryValue(query, name), values, 'Node.js reads the same');
      for (const parameter of inQueries) {
        const read = parameter.read(anyRequest, query);
        if (isLeft(read)) known([typeof read.left === 'string' ? read.left : read.left.message]);
      }
    },
  },
  cursors: {
    seeds: ['jane@example.com', 'creationTime 1700000000000 a', '-lastUpdateTime 1 {"_id":1}', 'id 1'],
    run: (data) => {
      const position = data.toString();
      if (position === '' || Buffer.byteLength(position) > maxPositionBytes) return;
      for (const one of sorts) {
        const written = `${1e12} ${position}`;
        assertEqual(
          positionIn(cursorOf(written, one), one),
          { _tag: 'Right', right: written },
          'a cursor keeps its position',
        );
        assert(isLeft(positionIn(cursorOf(written, one))), 'a cursor belongs to its order');
      }
      positionIn(position);
      positionIn(data.toString('base64url'), sorts[0]);
    },
  },
};
