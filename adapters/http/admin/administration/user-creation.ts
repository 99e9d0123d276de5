import { type Either, isLeft, left, map, mapLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { administrator as by } from '../../../../application/administration/administrator.ts';
import type { CommandBus } from '../../../../application/bus.ts';
import type { FieldError } from '../../../../domain/failure.ts';
import { type JsonObject, readJsonObject } from '../../../kit/exact-json.ts';
import { decodeWithId, type OptionalId } from '../../../kit/user-json/optional-members.ts';
import { decodeUser, emailMembers, emailOfUser, password, propertiesOf } from '../../../kit/user-json/user-codecs.ts';
import { fixedFields } from '../../../kit/user-json/user-writer.ts';
import { userRefusals } from '../../api/accounts/create-user-route.ts';
import { userBodies } from '../../api/accounts/user-bodies.ts';
import { usersTag } from '../../api/accounts/user-schema.ts';
import { type Refusal, refusal } from '../../api/refusal.ts';
import { defineRouteWithBody } from '../../api/route.ts';
import type { Route } from '../../api/route-types.ts';
import { type Html, html } from '../../pages/html.ts';
import { userWithTag, type VersionedUser } from '../../server/response.ts';
import { type AdministeredOptions, briefWriter } from './administered-user.ts';
import { reads } from './administration-parameters.ts';
import { newAddressField } from './form-bodies.ts';
import { type FormErrors, labelled } from './form-fields.ts';
import { jsonErrorIn } from './json-errors.ts';
import type { FieldReader } from './user-action.ts';

/** How administrators create users: a route of the API, and a form. */
export interface UserCreation {
  readonly route: Route;
  fields(entered: FieldReader, errors: FormErrors): Html[];
  submit(field: FieldReader, startedMs: number): Promise<Either<Refusal, VersionedUser>>;
}

const newUser = t.intersection([t.type({ email: emailOfUser }), t.partial({ password })]);

const decodeNewUser = (body: JsonObject) =>
  map(({ email: { verified: _, verificationToken: __, ...email }, ...others }: t.TypeOf<typeof newUser>) => ({
    ...email,
    password: others.password,
    properties: propertiesOf(body),
  }))(decodeUser(newUser, emailMembers, body));

/** The members of a form as the body that it stands for. */
const bodyOf = (field: FieldReader): Either<readonly FieldError[], JsonObject> => {
  const text = field('properties').trim() || '{}';
  const given = readJsonObject(text);
  if (isLeft(given)) return left([{ path: 'properties', message: jsonErrorIn(text) ?? given.left }]);
  const fixed = Object.keys(given.right.values).filter((name) => fixedFields.has(name));
  if (fixed.length > 0) return left([{ path: 'properties', message: `must not have ${fixed.join(', ')}` }]);
  const entered = field('password');
  const values = {
    email: { address: field(newAddressField).trim() },
    ...(entered !== '' && { password: entered }),
  };
  return map(({ members, ...object }: JsonObject) => ({ members, values: { ...object.values, ...values } }))(given);
};

/** The creation of users by administrators. With invitations, a password may be left out. */
export const userCreation = (
  commands: CommandBus,
  { writeUser, describeUser, trimBody, properties, shown, invites, names }: AdministeredOptions,
): UserCreation => {
  const whole = userWithTag(201, writeUser);
  const brief = userWithTag(201, briefWriter(writeUser));
  const { create } = userBodies(properties, shown, false);
  const decodeTrimmed = (body: JsonObject) => decodeNewUser(trimBody(body));
  type Decoded = ReturnType<typeof decodeNewUser> extends Either<unknown, infer A> ? A & OptionalId : never;
  const decode: (body: JsonObject) => Either<readonly FieldError[], Decoded> = names.ids
    ? decodeWithId(decodeTrimmed)
    : decodeTrimmed;
  const add = (user: Decoded, startedMs: number) => commands.dispatch({ type: 'AddUser', by, ...user }, startedMs);
  const { required = [] } = create.schema;
  const optional = Array.isArray(required) ? required.filter((name) => name !== 'password') : [];
  const invitation = ' Without `password`, the user is invited: a mail has a link to choose one.';
  return {
    route: defineRouteWithBody({
      method: 'post',
      path: '/admin/users',
      operation: 'addUser',
      requires: 'edit',
      summary: 'Create a user',
      description: `Stores a new user whose address is not verified.${invites ? invitation : ''}`,
      tag: usersTag,
      parameters: { reads },
      mayOverload: true,
      body: {
        ...create,
        ...(invites && { schema: { ...create.schema, required: optional } }),
        decode,
      },
      responses: { 201: describeUser('The user was created.') },
      refusals: [
        ...userRefusals,
        'user_exists',
        'id_taken',
        'property_taken',
        'mailbox_taken',
        'domain_not_allowed',
        'too_many_attempts',
      ],
      handle: (_, user, startedMs) => add(user, startedMs),
      present: (stored, { reads }) => (reads ? whole : brief)(stored),
    }),
    fields: (entered, errors) => [
      labelled(
        { id: newAddressField, path: 'email.address', label: 'Address', errors },
        (attributes) =>
          html`<input ${attributes} type="email" required maxlength="254" value="${entered(newAddressField)}" autocomplete="off">`,
      ),
      labelled(
        { id: 'password', label: invites ? 'Password; empty to invite the user by mail' : 'Password', errors },
        (attributes) =>
          html`<input ${attributes} type="password"${invites ? '' : ' required'} autocomplete="new-password">`,
      ),
      labelled(
        { id: 'properties', label: 'Custom properties as a JSON object; may be empty', errors },
        (attributes) =>
          html`<textarea ${attributes} class="short" rows="4" spellcheck="false" autocapitalize="off">\n${entered('properties')}</textarea>`,
      ),
    ],
    submit: async (field, startedMs) => {
      const body = bodyOf(field);
      const user = isLeft(body) ? body : decode(body.right);
      return isLeft(user)
        ? mapLeft((errors: readonly FieldError[]) => refusal('invalid_body', errors))(user)
        : add(user.right, startedMs);
    },
  };
};
