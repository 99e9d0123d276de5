import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { administrator as by } from '../../../../application/administration/administrator.ts';
import type { CommandBus } from '../../../../application/bus.ts';
import type { VersionedUser } from '../../../../domain/entity-tag.ts';
import type { FieldError } from '../../../../domain/failure.ts';
import { propertiesOf } from '../../../kit/user-json/user-codecs.ts';
import { creationRefusals, decodeAddedUser } from '../../api/accounts/create-user-route.ts';
import { userBodies } from '../../api/accounts/user-bodies.ts';
import { usersTag } from '../../api/accounts/user-schema.ts';
import { type RequestRefusal, refusal } from '../../api/refusal.ts';
import { defineRouteWithBody } from '../../api/route.ts';
import type { Route } from '../../api/route-types.ts';
import { type Html, html } from '../../pages/html.ts';
import { userWithTag } from '../../server/response.ts';
import { type AdministeredOptions, presentAsPermitted } from './administered-user.ts';
import { reads } from './administration-parameters.ts';
import { addressBody, addressField, passwordField } from './form-bodies.ts';
import { type FormErrors, labelled } from './form-fields.ts';
import { readProperties } from './properties-body.ts';
import type { FieldReader } from './user-action.ts';

/** How administrators create users: a route of the API, and a form. */
export interface UserCreation {
  readonly route: Route;
  fields(entered: FieldReader, errors: FormErrors): Html[];
  submit(field: FieldReader, startedMs: number): Promise<Either<RequestRefusal, VersionedUser>>;
}

/** Said after a refusal for another reason, because no page repeats a password. */
const lostPassword: FieldError = { path: 'password', message: 'must be entered again' };

/** The creation of users by administrators. With invitations, a password may be left out. */
export const userCreation = (
  commands: CommandBus,
  { writeUser, describeUser, decoder, properties, shown, invites }: AdministeredOptions,
): UserCreation => {
  const decode = decoder(decodeAddedUser);
  // As in a body: with the id, and without the members that the service sets.
  const decodeProperties = decoder((body) => right({ properties: propertiesOf(body) }));
  type Added = ReturnType<typeof decode> extends Either<unknown, infer User> ? User : never;
  const { create } = userBodies(properties, shown, false);
  const add = (user: Added, startedMs: number) => commands.dispatch({ type: 'AddUser', by, ...user }, startedMs);
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
      refusals: creationRefusals,
      handle: (_, user, startedMs) => add(user, startedMs),
      present: presentAsPermitted(writeUser, (write) => userWithTag(201, write)),
    }),
    fields: (entered, errors) => [
      addressField('Address', entered, errors),
      passwordField(
        invites ? 'Password; empty to invite the user by mail' : 'Password',
        entered('password') === '' || errors.some(({ path }) => path === 'password')
          ? errors
          : [...errors, lostPassword],
        !invites,
      ),
      labelled(
        { id: 'properties', label: 'Custom properties as a JSON object; may be empty', errors },
        (attributes) =>
          html`<textarea ${attributes} class="short" rows="4" spellcheck="false" autocapitalize="off">\n${entered('properties')}</textarea>`,
      ),
    ],
    submit: async (field, startedMs) => {
      const address = addressBody.read(field);
      if (isLeft(address)) return address;
      const read = readProperties(field('properties').trim() || '{}');
      if (isLeft(read)) return read;
      const members = decodeProperties(read.right.object);
      if (isLeft(members)) return left(refusal('invalid_body', members.left));
      return add({ ...address.right, password: field('password') || undefined, ...members.right }, startedMs);
    },
  };
};
