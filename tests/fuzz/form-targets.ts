import { isUtf8 } from 'node:buffer';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { addressBody, disablementBody, passwordBody } from '../../adapters/http/admin/administration/form-bodies.ts';
import { jsonErrorIn } from '../../adapters/http/admin/administration/json-errors.ts';
import {
  propertyFieldsOf,
  submittedProperties,
  withFormerTexts,
} from '../../adapters/http/admin/administration/property-fields.ts';
import { formBody } from '../../adapters/http/api/request-body.ts';
import { userKeys } from '../../adapters/http/api/user-key.ts';
import { readJsonObject } from '../../adapters/kit/exact-json.ts';
import { propertiesOf } from '../../adapters/kit/user-json/user-codecs.ts';
import { systemClock } from '../../adapters/system-clock.ts';
import { objectIn } from './body-targets.ts';
import { assert, assertEqual, errorTexts, type FuzzTarget } from './fuzz-target.ts';
import { unique } from './kept-users.ts';

const keys = userKeys({ ids: true, unique });
const reason = t.type({ reason: t.string });
const known = errorTexts();

/** What pages of the administration send, and the users that forms and bodies name. */
export const formTargets: Readonly<Record<string, FuzzTarget>> = {
  userNames: {
    seeds: [
      '{"email":{"address":"jane@example.com"},"reason":"why"}',
      '{"id":"0198f0a2"}',
      '{"username":"Jane"}',
      '{"number":12}',
      '{"id":1,"username":null}',
    ],
    run: (data) => {
      const body = objectIn(data.toString());
      if (body === undefined) return;
      for (const decoded of [keys.decodeForm(body.values), keys.decodeBody(reason, body)]) {
        if (isLeft(decoded)) known(decoded.left.map(({ message }) => message));
        else assert(decoded.right.key.isWellFormed(), 'a key can be encoded');
      }
    },
  },
  forms: {
    seeds: [
      'reason=mailbox+taken+over&until=2100-01-01T00%3A00&address=jane%40example.com',
      'count=1&name-0=plan&kind-0=text&value-0=a%0D%0Ab&name-1=n&kind-1=number&value-1=1.0',
      '__proto__=1&constructor=2&a=1&a=2',
    ],
    run: (data) => {
      if (!isUtf8(data)) return;
      const form = formBody(1024 * 1024).parse(data.toString());
      if (isLeft(form)) return known([form.left]);
      const { values } = form.right;
      const field = (name: string): string => {
        const value = Object.hasOwn(values, name) ? values[name] : '';
        return typeof value === 'string' ? value : '';
      };
      for (const body of [disablementBody(systemClock), addressBody, passwordBody]) body.read(field);
      keys.decodeForm(values);
      const properties = submittedProperties(field);
      if ('text' in properties) JSON.parse(properties.text);
    },
  },
  propertyForms: {
    seeds: [
      '{"a":"x\\ny","b":1.10,"c":false,"d":null,"e":{"f":[1.0]},"g:\\u00e9":"\\u0000"}',
      '{"":1}',
      '{"a" :\t"\\/"}',
      '{"a":01}',
      '{"a":1,\n"b":2,\n"b":3}',
    ],
    run: (data) => {
      const text = data.toString();
      const error = jsonErrorIn(text);
      if (error !== undefined) known([error.replace(/\d+/, 'N')]);
      const object = objectIn(text);
      if (object === undefined) return;
      assert(error === undefined, 'what can be read has no error');
      const properties = propertiesOf(object);
      const fields = propertyFieldsOf(properties);
      if (fields === undefined) return;
      const form = new Map([['count', String(fields.length)]]);
      for (const [at, { name, kind, value }] of fields.entries())
        for (const [part, entered] of Object.entries({ name, kind, value: value.replaceAll('\n', '\r\n') }))
          form.set(`${part}-${at}`, entered);
      const sent = submittedProperties((name) => form.get(name) ?? '');
      const read = readJsonObject('text' in sent ? sent.text : '');
      assert(isRight(read), 'a form that is sent as it was shown can be read');
      assertEqual(propertiesOf(withFormerTexts(read.right, properties)), properties, 'such a form changes nothing');
    },
  },
};
