import { code, table } from './markdown.ts';
import { type DocumentedOperation, isAuthenticated, type Operation } from './operations.ts';

const takes = ({ parameters = [] }: Operation, input: string): boolean => parameters.some(({ name }) => name === input);

/** Errors that all operations of a kind share. */
const sharedErrors: readonly {
  readonly operation: string;
  readonly codes: readonly string[];
  readonly includes: (operation: DocumentedOperation) => boolean;
}[] = [
  { operation: 'any', codes: ['malformed_request', 'internal_error'], includes: () => true },
  {
    operation: 'with client authentication',
    codes: ['client_unauthorized', 'not_permitted', 'keys_unavailable', 'overloaded'],
    includes: isAuthenticated,
  },
  {
    operation: 'that uses the database',
    codes: ['store_unavailable', 'timed_out', 'store_rejected'],
    includes: ({ codes }) => codes.includes('store_unavailable'),
  },
  {
    operation: 'that checks a password',
    codes: [
      'wrong_password',
      'user_not_found',
      'user_disabled',
      'password_change_required',
      'too_many_attempts',
      'invalid_parameter',
    ],
    includes: ({ codes }) => codes.includes('wrong_password'),
  },
  {
    operation: 'with a body',
    codes: ['invalid_json', 'invalid_body', 'body_too_large', 'unsupported_media_type', 'unsupported_encoding'],
    includes: ({ requestBody }) => requestBody !== undefined,
  },
  {
    operation: 'that stores a user of the body',
    codes: ['invalid_properties', 'unsuitable_address', 'unsuitable_password', 'weak_password', 'user_too_large'],
    includes: ({ codes }) => codes.includes('invalid_properties'),
  },
  { operation: 'with `If-Match`', codes: ['stale_user'], includes: (operation) => takes(operation, 'If-Match') },
  {
    operation: 'with a `token` in the query',
    codes: ['token_mismatch', 'token_expired', 'invalid_parameter'],
    includes: ({ codes, ...operation }) => takes(operation, 'token') && codes.includes('token_mismatch'),
  },
];

export const codeList = (codes: readonly string[]): string => codes.map(code).join(', ');

/** The table of the errors that operations share. */
export const errorTable = (operations: readonly DocumentedOperation[]): string => {
  for (const { operation, codes, includes } of sharedErrors)
    for (const { operationId, codes: all } of operations.filter(includes))
      if (!codes.every((name) => all.includes(name))) throw new Error(`${operationId} lacks errors of "${operation}"`);
  return table(
    ['An operation', 'can answer'],
    sharedErrors.map(({ operation, codes }) => [operation, codeList(codes)]),
  );
};

/** The errors of an operation that the table does not have. */
export const ownErrors = (operation: DocumentedOperation): readonly string[] => {
  const shared = new Set(sharedErrors.filter(({ includes }) => includes(operation)).flatMap(({ codes }) => codes));
  return operation.codes.filter((name) => !shared.has(name));
};
