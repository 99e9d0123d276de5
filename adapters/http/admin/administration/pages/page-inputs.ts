import { createHmac, randomBytes } from 'node:crypto';
import { right } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import { sameText } from '../../../../../application/constant-time.ts';
import type { UserKey } from '../../../../../domain/user-name.ts';
import { queryOf, queryValue } from '../../../api/parameters.ts';
import { formBody } from '../../../api/request-body.ts';
import type { BodyDecoder, Parameter } from '../../../api/route-types.ts';
import type { FieldReader } from '../user-action.ts';
import type { UserReferences } from '../user-references.ts';

/** A query parameter; empty where it is missing or repeated. */
export const parameterOf = (request: KoaRequest, name: string): string => {
  const value = queryValue(queryOf(request), name);
  return typeof value === 'string' ? value.trim() : '';
};

/** The user that a page is about; undefined without a valid address or id. */
export const userOfPage = (names: UserReferences): Parameter<UserKey | undefined> => ({
  name: 'address',
  in: 'query',
  required: false,
  description: 'The address of the user.',
  schema: {},
  example: 'jane@example.com',
  neverFails: true,
  namesUser: true,
  read: (request) => right(names.keyIn((name) => parameterOf(request, name))),
});

/** Four fields for each custom property, and some more. */
const maxFormFields = 300;

/** The fields of a form, with room for all custom properties of a user, percent-encoded. */
export const formFields: BodyDecoder<FieldReader> = {
  format: formBody(2 * 1024 * 1024, maxFormFields),
  userMember: 'address',
  decode: ({ values }) => {
    const fields = new Map(Object.entries(values));
    return right((name) => {
      const value = fields.get(name);
      return typeof value === 'string' ? value : '';
    });
  },
};

/**
 * Tokens of forms, each for the credentials, action and user of its form (OWASP, Cross-Site Request Forgery Prevention:
 * HMAC tokens). They are valid until the service restarts.
 */
export class FormTokens {
  private readonly key = randomBytes(32);

  of(...subject: readonly (string | undefined)[]): string {
    return createHmac('sha256', this.key).update(JSON.stringify(subject)).digest('base64url');
  }

  isValid(token: string, ...subject: readonly (string | undefined)[]): boolean {
    return sameText(this.of(...subject), token);
  }
}
