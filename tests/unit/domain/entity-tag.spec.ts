import { expect } from 'chai';
import * as fc from 'fast-check';
import { getOrElse } from 'fp-ts/lib/Either.js';
import { administeredWriter } from '../../../adapters/http/admin/administration/administered-user.ts';
import { withPasswordTime, writerWithMove } from '../../../adapters/kit/user-json/optional-members.ts';
import { assembleUser } from '../../../adapters/kit/user-json/stored-user.ts';
import { noProperties, userJsonWithoutPassword } from '../../../adapters/kit/user-json/user-writer.ts';
import { systemClock } from '../../../adapters/system-clock.ts';
import { cancelMove, confirmMove, requestMove } from '../../../domain/address-move.ts';
import { afterBookkeeping, entityTagOf, isRehashed, withoutKeptTag } from '../../../domain/entity-tag.ts';
import { inviteUser, issueRecovery, recoverPassword } from '../../../domain/recovery.ts';
import type { User } from '../../../domain/user.ts';
import { fieldOf, type UserField, userFields } from '../../../domain/user-fields.ts';
import { disableUser, enableUser, requirePasswordChange, withdrawPasswordChange } from '../../../domain/user-state.ts';
import {
  updateUser,
  withAddress,
  withoutMailTime,
  withPassword,
  withRehashedPassword,
} from '../../../domain/user-update.ts';
import { confirmVerification, issueToken, resetVerification } from '../../../domain/verification.ts';
import { addressOf, usersOfEveryField } from '../../../sdk/contract/arbitraries.ts';
import { now } from '../../support/users.ts';

const fields: readonly UserField[] = userFields;

/** The user with the value that another one has in a field; in the same field only, or undefined. */
const withFieldOf = (user: User, other: User, field: UserField): User | undefined => {
  const next = assembleUser(fields.map((each) => fieldOf(each === field ? other : user, each) ?? null));
  const changed = fields.filter((each) => fieldOf(user, each) !== fieldOf(next, each));
  return changed.length === 1 && changed[0] === field ? next : undefined;
};

/** The transitions of a user that neither clients nor administrators see. */
const bookkeeping: Readonly<Record<string, (user: User) => User>> = {
  nothing: (user) => user,
  'another stored form of the password': (user) => withRehashedPassword(user, 'another form'),
  'a token for a forgotten password': (user) => issueRecovery(user, 'a digest', now),
  'no time of the last mail': withoutMailTime,
};

const move = { to: addressOf('new@example.com'), confirmDigest: 'one', cancelDigest: 'other' };

/** Those that they see. */
const changes: Readonly<Record<string, (user: User) => User>> = {
  'an update without a change': (user) =>
    updateUser(user, { ...user.email, properties: user.properties }, user.password, now),
  'another address': (user) =>
    updateUser(user, { address: addressOf('other@example.com'), properties: noProperties }, user.password, now),
  'another password': (user) => withPassword(user, 'another', now),
  'a recovery': (user) => recoverPassword(user, 'another', now),
  'an invitation': (user) =>
    getOrElse(() => user)(inviteUser(user, { digest: `of ${user.lastUpdateTime}`, time: now }, null, now)),
  'an address that an administrator corrects': (user) => withAddress(user, addressOf('corrected@example.com'), now),
  'a verification mail': (user) => issueToken(user, `of ${user.lastUpdateTime}`, now),
  'a confirmation': (user) => confirmVerification(user, now),
  'a reset': (user) => resetVerification(user, now),
  'a requested address': (user) => requestMove(user, move, now),
  'a confirmed address': (user) => confirmMove(user, now),
  'a cancelled address': (user) => cancelMove(user, now),
  'a disablement': (user) => disableUser(user, { reason: `of ${user.lastUpdateTime}`, until: undefined }, now),
  'an enablement': (user) => enableUser(user, now),
  'a required password': (user) => requirePasswordChange(user, now),
  'a withdrawn requirement': (user) => withdrawPasswordChange(user, now),
};

const writes = { ...bookkeeping, ...changes };

describe('an entity tag', () => {
  it('is the version of a user without bookkeeping', () =>
    fc.assert(
      fc.property(usersOfEveryField, (user) => {
        expect(entityTagOf({ user: withoutKeptTag(user), version: 'v1' })).to.equal('v1');
      }),
    ));

  it('stays with any sequence of bookkeeping, and is new with every change', () =>
    fc.assert(
      fc.property(usersOfEveryField, fc.array(fc.constantFrom(...Object.keys(writes))), (first, names) => {
        let stored = { user: withoutKeptTag(first), version: 'v0' };
        const tags = new Set([entityTagOf(stored)]);
        for (const [index, name] of names.entries()) {
          const before = entityTagOf(stored);
          const next = writes[name]?.(stored.user) ?? stored.user;
          if (name in bookkeeping) {
            stored = { user: afterBookkeeping(stored, next), version: `v${index + 1}` };
            expect(entityTagOf(stored), name).to.equal(before);
          } else if (next !== stored.user) {
            stored = { user: withoutKeptTag(next), version: `v${index + 1}` };
            expect(tags, name).to.not.include(entityTagOf(stored));
            tags.add(entityTagOf(stored));
          }
        }
      }),
    ));

  it('is marked from the replacement of a stored hash until the next change', () =>
    fc.assert(
      fc.property(usersOfEveryField, (first) => {
        fc.pre(first.lastUpdateTime < Number.MAX_SAFE_INTEGER && first.password !== 'another form');
        const kept = afterBookkeeping({ user: first, version: 'v1' }, first);
        const replaced = afterBookkeeping({ user: kept, version: 'v2' }, withRehashedPassword(kept, 'another form'));
        const later = afterBookkeeping({ user: replaced, version: 'v3' }, issueRecovery(replaced, 'a digest', now));
        const changed = withPassword(later, 'another', now);
        expect([kept, replaced, later, changed].map(isRehashed)).to.deep.equal([isRehashed(first), true, true, false]);
        const ended = withoutKeptTag(later);
        expect(isRehashed(afterBookkeeping({ user: ended, version: 'v4' }, ended))).to.equal(false);
      }),
    ));

  for (const [name, transition] of Object.entries(changes))
    it(`is the version after ${name} by a release that does not know kept tags, and keeps the field`, () =>
      fc.assert(
        fc.property(usersOfEveryField, (user) => {
          // A number with a later one: the service makes no other times.
          fc.pre(user.lastUpdateTime < Number.MAX_SAFE_INTEGER);
          const kept = { user: afterBookkeeping({ user, version: 'v1' }, user), version: 'v2' };
          const next = transition(kept.user);
          fc.pre(next !== kept.user);
          expect(next.keptTag).to.equal(kept.user.keptTag);
          expect(entityTagOf({ user: next, version: 'v3' })).to.equal('v3');
        }),
      ));
});

describe('a damaged kept tag', () => {
  for (const tag of ['', '"', 'a\n', '中', '\0', 'x'.repeat(20_000)])
    it(`is ignored: ${JSON.stringify(tag.slice(0, 10))}`, () => {
      const [user] = fc.sample(usersOfEveryField, 1);
      if (user === undefined) throw new TypeError('a sample has one user');
      const damaged = { ...user, keptTag: `${user.lastUpdateTime} ${tag}` };
      expect(entityTagOf({ user: damaged, version: 'v1' })).to.equal('v1');
    });
});

describe('bookkeeping', () => {
  const shown = fields.filter(({ name, isInternal }) => name !== 'password' && isInternal !== true);
  /** What callers see: a client, one of a service that shows more, and an administrator. */
  const writers = [
    userJsonWithoutPassword,
    withPasswordTime(writerWithMove(shown, Number.POSITIVE_INFINITY, systemClock)),
    administeredWriter(Number.POSITIVE_INFINITY, systemClock),
  ];

  for (const field of fields) {
    if (field.name === 'keptTag') continue;
    const isAllowed = field.isBookkeeping === true || field.name === 'password';
    it(`may ${isAllowed ? 'change' : 'not change'} ${field.name}${isAllowed ? ', which no client reads' : ''}`, () =>
      fc.assert(
        fc.property(usersOfEveryField, usersOfEveryField, (user, other) => {
          const next = withFieldOf(user, other, field);
          if (next === undefined) return fc.pre(false);
          const record = () => afterBookkeeping({ user, version: 'v1' }, next);
          if (!isAllowed) return void expect(record).to.throw(TypeError, field.name);
          for (const write of writers) expect(write(record())).to.equal(write(user));
          return undefined;
        }),
      ));
  }

  it('changes nothing else', () =>
    fc.assert(
      fc.property(usersOfEveryField, fc.constantFrom(...Object.values(bookkeeping)), (user, transition) => {
        const next = transition(user);
        const recorded = afterBookkeeping({ user, version: 'v1' }, next);
        for (const field of fields)
          if (field.name !== 'keptTag') expect(fieldOf(recorded, field), field.name).to.equal(fieldOf(next, field));
      }),
    ));
});
