import { identity } from 'fp-ts/lib/function.js';
import type { Clock } from '../../../../application/ports/clock.ts';
import type { User } from '../../../../domain/user.ts';
import { type UserField, userFields } from '../../../../domain/user-fields.ts';
import type { PropertyRules } from '../../../../domain/user-limits.ts';
import type { UniqueProperty, UserKey } from '../../../../domain/user-name.ts';
import { type Inactivity, stateFields } from '../../../../domain/user-state.ts';
import type { JsonObject } from '../../../kit/exact-json.ts';
import {
  bodyDecoder,
  withId,
  withoutPasswordTime,
  withPasswordTime,
  writerWithMove,
} from '../../../kit/user-json/optional-members.ts';
import { exportedFields, noProperties, writerOf } from '../../../kit/user-json/user-writer.ts';
import { exampleProperties } from '../../api/accounts/property-schemas.ts';
import type { ShownMembers } from '../../api/accounts/user-bodies.ts';
import { type HiddenFields, userResponses, userSchema } from '../../api/accounts/user-schema.ts';
import type { RouteOptions } from '../../api/route-options.ts';
import type { Parameter, Schema } from '../../api/route-types.ts';
import type { Reply } from '../../server/response.ts';
import { addressInPath, addressOrIdInPath } from './administration-parameters.ts';
import { UserReferences } from './user-references.ts';

/** What the configuration adds to the administration. */
export interface AdministrationFeatures {
  readonly clock: Clock;
  /** Whether mails are queued and can be listed. */
  readonly queuesMails: boolean;
  /** With what the links of verification mails start, without a trailing slash; null where none are sent. */
  readonly linkBaseUrl: string | null;
  /** Whether administrators create users, and change their addresses. */
  readonly createsUsers: boolean;
  /** Whether users are invited by mail. */
  readonly invites: boolean;
  /** Whether users are shown with the time of their password. */
  readonly showsPasswordTime: boolean;
  /** Since when it is recorded when passwords were right; null if it is not. */
  readonly activity: Pick<Inactivity, 'recordedSince'> | null;
  /** How long a new address waits for its confirmation, in milliseconds; null if it needs none. */
  readonly moveLifetimeMs: number | null;
  /** The rules for custom properties; undefined for none. */
  readonly properties: PropertyRules | undefined;
  /** Whether wrong passwords are counted, so that users can be blocked. */
  readonly countsPasswords: boolean;
  /** Whether the database can sort and count its users. */
  readonly sortsUsers: boolean;
  /** The custom property that the list of users shows; null for none. */
  readonly nameProperty: string | null;
  /** Whether users have ids. */
  readonly ids: boolean;
  /** The custom properties that no two users share. */
  readonly unique: readonly UniqueProperty[];
  /** Whether a key may do less than everything. */
  readonly limitsKeys: boolean;
}

/** What the pages about users need. */
export interface UserPageParts extends AdministrationFeatures {
  readonly names: UserReferences;
}

/** The fields that only administrators see. */
export const states: ReadonlySet<UserField['name']> = new Set(stateFields);
const fields: readonly UserField[] = userFields;

/** How the routes write and describe users. */
export interface AdministeredOptions
  extends AdministrationFeatures,
    Pick<RouteOptions, 'decoder' | 'writeUser' | 'describeUser'> {
  /** Returns a body without the members of a user that only the service sets. */
  readonly trimBody: (body: JsonObject) => JsonObject;
  /** The members of users that not every configuration has. */
  readonly shown: ShownMembers;
  /** Writes a user of a list. */
  readonly writeListed: (user: User) => string;
  /** The names of members that are ignored in patches. */
  readonly ignoredNames: readonly string[];
  /** Names the user in the path of a route. */
  readonly userInPath: Parameter<UserKey>;
  readonly names: UserReferences;
}

/** The fields that administrators do not see: the hash, and the token with which `GET /verify` would return it. */
export const secretFields: HiddenFields = new Set(['password', 'verificationToken']);

/** Users for administrators: without secrets, and with the states in `email`. */
const administeredFields = fields.filter(
  ({ name, isInternal }) => !secretFields.has(name) && (isInternal !== true || states.has(name)),
);

/** The same for lists, which have no entity tag: what changes without a new one may be in them. */
const listedFields = fields.filter((field) => administeredFields.includes(field) || field.name === 'lastCheckTime');

/** Writes users for administrators, with `email.pending` for `moveLifetimeMs`, or without it if that is null. */
export const administeredWriter = (
  moveLifetimeMs: number | null,
  clock: Clock,
  shown: readonly UserField[] = administeredFields,
): ((user: User) => string) =>
  moveLifetimeMs === null ? writerOf(shown) : writerWithMove(shown, moveLifetimeMs, clock);

/**
 * Presents results with users as `presentWith` does with a writer of users; to keys that may not read users, without their
 * custom properties.
 */
export const presentAsPermitted = <Result>(
  writeUser: AdministeredOptions['writeUser'],
  presentWith: (write: AdministeredOptions['writeUser']) => (result: Result) => Reply,
) => {
  const whole = presentWith(writeUser);
  const brief = presentWith((user) => writeUser({ ...user, properties: noProperties }));
  return (result: Result, { reads }: { readonly reads: boolean }): Reply => (reads ? whole : brief)(result);
};

/** The schema of an exported user, with the id if users have ids. */
export const exportSchema = ({ ids }: Pick<UserReferences, 'ids'>): Schema => {
  const exported = new Set(exportedFields.filter(({ kind }) => ids || kind !== 'id').map(({ name }) => name));
  const others = fields.map(({ name }) => name).filter((name) => !exported.has(name));
  return userSchema(new Set(others), {}, exported, 'ExportedUser');
};

/** The states that users have in the OpenAPI document. */
export const shownStates = ({
  activity,
  invites,
  moveLifetimeMs,
}: AdministrationFeatures): ReadonlySet<UserField['name']> =>
  new Set<UserField['name']>([
    ...stateFields.filter((name) => invites || name !== 'invitationTime'),
    ...(activity === null ? [] : (['lastCheckTime'] as const)),
    ...(moveLifetimeMs === null ? [] : (['pending'] as const)),
  ]);

export const administeredOptions = (features: AdministrationFeatures): AdministeredOptions => {
  const { clock, showsPasswordTime, activity, moveLifetimeMs, properties, ids, unique } = features;
  const shown = { passwordTime: showsPasswordTime, ids };
  const complete = (write: (user: User) => string) => {
    const identified = ids ? withId(write) : write;
    return showsPasswordTime ? withPasswordTime(identified) : identified;
  };
  const writeUser = complete(administeredWriter(moveLifetimeMs, clock));
  const trimBody = showsPasswordTime ? withoutPasswordTime : identity;
  return {
    ...features,
    trimBody,
    decoder: bodyDecoder(trimBody, ids),
    writeUser,
    writeListed: activity === null ? writeUser : complete(administeredWriter(moveLifetimeMs, clock, listedFields)),
    describeUser: userResponses(secretFields, shown, exampleProperties(properties, { name: 'Jane' })),
    shown,
    ignoredNames: showsPasswordTime ? ['passwordTime'] : [],
    userInPath: ids ? addressOrIdInPath : addressInPath,
    names: new UserReferences(ids, unique),
  };
};
