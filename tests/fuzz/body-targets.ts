import { isUtf8 } from 'node:buffer';
import { type Either, isLeft, isRight } from 'fp-ts/lib/Either.js';
import { decodeNewUser } from '../../adapters/http/api/accounts/create-user-route.ts';
import { mergePatch } from '../../adapters/http/api/accounts/merge-patch.ts';
import { decodeUserPatch, decodeUserUpdate } from '../../adapters/http/api/accounts/user-routes.ts';
import { readJsonObject } from '../../adapters/kit/exact-json.ts';
import {
  bodyDecoder,
  withoutPasswordTime,
  withoutPendingMember,
} from '../../adapters/kit/user-json/optional-members.ts';
import { replaceProperties, visibleProperties } from '../../adapters/kit/user-json/property-access.ts';
import { propertiesOf, userLimits } from '../../adapters/kit/user-json/user-codecs.ts';
import type { FieldError } from '../../domain/failure.ts';
import { createUser, updateUser } from '../../domain/user-update.ts';
import { now, verified } from '../support/users.ts';
import { assert, assertEqual, assertHidden, errorTexts, type FuzzTarget, withSecrets } from './fuzz-target.ts';
import { assertKept } from './kept-users.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7396, section 2, on values. */
const merged = (target: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, merged(members.get(name), value));
  }
  return Object.fromEntries(members);
};

const numbers = '{"a":1.0,"b":-0,"c":1e-7,"d":9007199254740991,"e":[1.5e300,{"f":"\\u00e9\\ud83d\\ude00"}]}';
const user =
  '{"email":{"address":"jane@example.com"},"password":"correct horse battery staple","name":"Jane","visits":3}';
const change =
  '{"email":{"address":"Jane@Example.com","verified":null,"verificationToken":null},"id":"0198f0a2","passwordTime":1,"tags":["early"]}';
const jsonSeeds = [
  numbers,
  user,
  change,
  '{"email":{"address":"jane@example.com"},"password":"\\ud800","\\udc00":["\\ud83d"]}',
  '{}',
  '[]',
  '{"__proto__":{"a":1}}',
  '{"a":1,"a":2}',
  '{"a":12345678901234567890}',
];

/** The object in a text as a body has it; undefined where a body is refused before it is decoded. */
export const objectIn = (text: string) => {
  const object = readJsonObject(text);
  return isLeft(object) ? undefined : object.right;
};

/** The target of a decoder of bodies, with what holds for what it accepts. */
const bodyTarget = <A>(
  decode: (body: NonNullable<ReturnType<typeof objectIn>>) => Either<readonly FieldError[], A>,
  check: (decoded: A) => void,
): FuzzTarget => {
  const known = errorTexts();
  return {
    seeds: jsonSeeds,
    run: (data) => {
      const body = isUtf8(data) ? objectIn(data.toString()) : undefined;
      if (body === undefined) return;
      const decoded = decode(body);
      if (isRight(decoded)) return check(decoded.right);
      known(decoded.left.map(({ message }) => message));
      const secretly = decode({ ...body, values: withSecrets(body.values) });
      if (isLeft(secretly)) assertHidden(secretly.left);
    },
  };
};

const decoder = bodyDecoder((body) => withoutPasswordTime(withoutPendingMember(body)), true);
const limits = userLimits(undefined, true);
const knownJson = errorTexts();

/** Two JSON objects, one in each line. */
const twoObjects = (data: Buffer) => {
  const [first = '', second = ''] = data.toString().split('\n');
  const [one, other] = [objectIn(first), objectIn(second)];
  return one && other && ([propertiesOf(one), propertiesOf(other)] as const);
};
const pairs = [
  '{"a":1.0,"b":{"c":[1,{}]}}\n{"b":{"c":null,"d":"x"},"e":2}',
  '{}\n{"a":{"b":null}}',
  '{"\\u0061":1}\n{"a":null}',
];

/** What clients send as bodies. */
export const bodyTargets: Readonly<Record<string, FuzzTarget>> = {
  exactJson: {
    seeds: jsonSeeds,
    run: (data) => {
      const text = data.toString();
      const object = readJsonObject(text);
      if (isLeft(object)) return knownJson([object.left]);
      const { values, members } = object.right;
      assertEqual(values, JSON.parse(text), 'the values are those of JSON.parse');
      const compact = `{${members.map((member) => member.text).join(',')}}`;
      assertEqual(JSON.parse(compact), values, 'the texts of the members have the same values');
      assertEqual(objectIn(compact)?.members, members, 'the texts of the members are exact');
      assertEqual(Object.keys(values).length, members.length, 'every name is there once');
    },
  },
  newUser: bodyTarget(decoder(decodeNewUser), (given) => {
    if (isLeft(limits.checkProperties(given.properties)) || isLeft(limits.checkPassword(given.password))) return;
    const { id, ...created } = given;
    const stored = createUser(created, given.password, now, id);
    if (isRight(limits.checkSize(stored))) assertKept(stored);
  }),
  userUpdate: bodyTarget(decoder(decodeUserUpdate), ({ update, newPassword = verified.password }) => {
    if (isLeft(limits.checkProperties(update.properties))) return;
    const stored = updateUser(verified, update, newPassword, now);
    if (isRight(limits.checkSize(stored))) assertKept(stored);
  }),
  userPatch: bodyTarget(decoder(decodeUserPatch), ({ email, changeProperties, newPassword = verified.password }) => {
    const properties = changeProperties(verified.properties);
    assertEqual(changeProperties(properties), properties, 'a repeated patch changes nothing');
    if (isLeft(limits.checkProperties(properties))) return;
    const { address = verified.email.address } = email;
    const stored = updateUser(verified, { ...email, address, properties }, newPassword, now);
    if (isRight(limits.checkSize(stored))) assertKept(stored);
  }),
  mergePatch: {
    seeds: pairs,
    run: (data) => {
      const [properties, patch] = twoObjects(data) ?? [];
      if (properties === undefined || patch === undefined) return;
      const next = mergePatch(properties, patch);
      assertEqual(JSON.parse(next), merged(JSON.parse(properties), JSON.parse(patch)), 'RFC 7396');
      assert(mergePatch(next, patch) === next, 'a repeated patch changes nothing');
    },
  },
  propertyAccess: {
    seeds: pairs,
    run: (data) => {
      const [stored, sent] = twoObjects(data) ?? [];
      if (stored === undefined || sent === undefined) return;
      const read = new Set(['a', 'b', '']);
      const visible = visibleProperties(stored, read);
      const names = Object.keys(JSON.parse(visible));
      assertEqual(
        names,
        Object.keys(JSON.parse(stored)).filter((name) => read.has(name)),
        'shows what may be read',
      );
      const repeated = replaceProperties({ read, write: read }, stored, visible);
      assert(isRight(repeated), 'what was read may be sent back');
      assertEqual(JSON.parse(repeated.right), JSON.parse(stored), 'what was read changes nothing');
      const replaced = replaceProperties({ read, write: read }, stored, sent);
      if (isLeft(replaced)) return;
      const [before, after] = [JSON.parse(stored), JSON.parse(replaced.right)];
      for (const name of Object.keys(before)) if (!read.has(name)) assertEqual(after[name], before[name], 'hidden');
    },
  },
};
