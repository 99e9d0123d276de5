import { expect } from 'chai';
import * as fc from 'fast-check';
import { type Either, isRight } from 'fp-ts/lib/Either.js';
import { disablementBody } from '../../../../adapters/http/admin/administration/form-bodies.ts';
import { decodeNewUser } from '../../../../adapters/http/api/accounts/create-user-route.ts';
import { decodeUserUpdate } from '../../../../adapters/http/api/accounts/user-routes.ts';
import { userIn } from '../../../../adapters/json-lines/user-line.ts';
import { type JsonObject, readJsonObject } from '../../../../adapters/kit/exact-json.ts';
import { systemClock } from '../../../../adapters/system-clock.ts';
import { digestOfLinkToken } from '../../../../application/mailed-tokens.ts';
import { UserId } from '../../../../domain/user.ts';
import { type UserField, userFields } from '../../../../domain/user-fields.ts';
import { maxReasonLength } from '../../../../domain/user-state.ts';
import { addresses, propertyValues, texts } from '../../../../sdk/contract/arbitraries.ts';

const jane = { email: { address: 'jane@example.com' }, password: 'secret' };

/** Whether a body of JSON creates a user, and whether one updates a user. */
const decodes = (decode: (body: JsonObject) => Either<unknown, unknown>, body: object): boolean => {
  const object = readJsonObject(JSON.stringify(body));
  return isRight(object) && isRight(decode(object.right));
};
const creates = (changes: object): boolean => decodes(decodeNewUser, { ...jane, ...changes });
const updates = (email: object): boolean => decodes(decodeUserUpdate, { email: { ...jane.email, ...email } });
const disables = (values: object): boolean =>
  isRight(disablementBody(systemClock).decode({ values: { ...values }, members: [] }));

/** Whether a value is a time that a clock can return. */
const isTime = (value: unknown): boolean =>
  typeof value === 'number' && value >= 0 && new Date(value).getTime() === value;

const isDigest = (value: unknown): boolean =>
  typeof value === 'string' && value.length === digestOfLinkToken('').length && /^[\w-]+$/.test(value);

/** Whether a request could set a field to a value, or the service itself where no request sets it. */
const canBeStored: Readonly<Record<Exclude<UserField['name'], 'keptTag'>, (value: unknown) => boolean>> = {
  address: (address) => creates({ email: { address } }),
  verified: (verified) => updates({ verified }),
  verificationToken: (verificationToken) => updates({ verificationToken }),
  password: (password) => creates({ password }),
  properties: (value) => creates({ value }),
  id: UserId.is,
  disabledReason: (reason) => disables({ reason }),
  disabledUntil: (until) => isTime(until) && (Number(until) <= Date.now() || disables({ reason: 'ticket', until })),
  pending: (address) => updates({ address }),
  recoveryDigest: isDigest,
  pendingDigest: isDigest,
  cancelDigest: isDigest,
  invitationDigest: isDigest,
  formerHashDigest: isDigest,
  // With room for the times of later changes.
  creationTime: (time) => isTime(time) && isTime(Number(time) + 1e12),
  lastUpdateTime: (time) => isTime(time) && isTime(Number(time) + 1e12),
  disabledTime: isTime,
  changeRequiredTime: isTime,
  passwordTime: isTime,
  tokenTime: isTime,
  mailTime: isTime,
  recoveryTime: isTime,
  pendingTime: isTime,
  invitationTime: isTime,
  lastCheckTime: isTime,
  importTime: isTime,
  unverifiedTime: isTime,
};

const { MAX_SAFE_INTEGER } = Number;
const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  propertyValues,
  addresses,
  texts,
  fc.integer({ min: 0, max: maxReasonLength * 2 }).map((length) => 'x'.repeat(length)),
  texts.map(digestOfLinkToken),
  fc.constantFrom('', ' ', '\n', '\ud800', 'x'.repeat(43), 'x'.repeat(100_000), true, false, null),
  fc.maxSafeNat(),
  fc.constantFrom(-1, 0, 1.5, Date.now(), 8.64e15 - 1, 8.64e15, 8.64e15 + 1, MAX_SAFE_INTEGER),
  fc.integer({ min: -2, max: 2 }).map((offset) => 8.64e15 + offset),
);

describe('the values of a line that an import accepts', () => {
  for (const field of userFields) {
    // An import makes a new entity tag.
    if (field.name === 'keptTag') continue;
    it(`are values that the service could store: ${field.name}`, () => {
      let accepted = 0;
      const lineWith = (value: unknown): string => {
        if (field.kind === 'properties') return JSON.stringify({ ...jane, value });
        if (field.in === 'user') return JSON.stringify({ ...jane, [field.name]: value });
        const email = { disabledTime: 1, ...jane.email, [field.name]: value };
        return JSON.stringify({ ...jane, email });
      };
      fc.assert(
        fc.property(anyValue, (value) => {
          const line = userIn(Buffer.from(lineWith(value)), 0);
          if (!isRight(line)) return;
          accepted++;
          expect(canBeStored[field.name](value), JSON.stringify(value)).to.equal(true);
        }),
        { numRuns: 300 },
      );
      expect(accepted, 'accepted values').to.be.above(0);
    });
  }
});
