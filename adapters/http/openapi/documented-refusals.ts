import { commonCodes, type ProblemCode, problems } from '../api/problems.ts';
import { notPermitted, problemDocument } from '../api/refusal.ts';
import type { Route, Schema } from '../api/route-types.ts';
import type { ConfiguredNames } from '../api/user-key.ts';
import type { Permission } from '../authentication/permissions.ts';

/** The codes of what runs before a route, besides those that every route has. */
export type EarlierCodes = (route: Route) => readonly ProblemCode[];

/** The permissions that a document names. */
export interface DocumentedPermissions {
  readonly names: readonly Permission[];
  /** What precedes them in the scopes of tokens. */
  readonly prefix: string;
}

/** What decides which codes a document has. */
export interface Described extends ConfiguredNames {
  /** Absent if every client may do everything. */
  readonly permissions?: DocumentedPermissions;
  /** Whether a client may use some custom properties only. */
  readonly limitsProperties?: boolean;
  /** Whether users are invited. */
  readonly invites?: boolean;
  /** The codes of the rules for sign-up; none without rules. */
  readonly signUp?: readonly ProblemCode[];
}

const signUpCodes = ['domain_not_allowed', 'mailbox_taken'] as const satisfies readonly ProblemCode[];

/** Whether users have ids or unique properties. */
const hasNames = ({ ids = false, unique = [] }: ConfiguredNames): boolean => ids || unique.length > 0;

/** The codes that a configuration rules out: those of ids, unique properties and sign-up, which routes list with any, of invitations and of permissions. */
export const absentCodes = (described: Described): ReadonlySet<string> =>
  new Set<ProblemCode>([
    ...(hasNames(described) ? [] : (['id_taken', 'id_immutable', 'property_taken'] as const)),
    ...signUpCodes.filter((code) => !described.signUp?.includes(code)),
    ...(described.invites ? [] : (['not_invited'] as const)),
    ...(described.permissions || described.limitsProperties ? [] : (['not_permitted'] as const)),
  ]);

/**
 * Every code of the service, so that a generated client reads the refusals of every configuration, except for those that
 * this one rules out.
 */
const codeSchema = (absent: ReadonlySet<string>): Schema => ({
  title: 'ProblemCode',
  type: 'string',
  enum: Object.keys(problems)
    .filter((code) => !absent.has(code))
    .sort(),
  description: 'Why a request was refused. Codes are stable.',
});

/** The schema of problem documents. */
export const problemSchema = (described: Described): Schema => ({
  title: 'Problem',
  type: 'object',
  description: 'A problem document (RFC 9457). `code` is stable; texts are fixed.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', description: '`urn:latchkey:problem:` followed by the code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: codeSchema(absentCodes(described)),
    requestId: {
      type: 'string',
      description:
        'Identifies the request in the log: the `X-Request-Id` of the request, or the trace id of its `traceparent`, if present.',
    },
    errors: {
      type: 'array',
      description: 'The invalid fields, if known.',
      items: {
        title: 'FieldError',
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
    ...(hasNames(described) && {
      sameId: {
        type: 'boolean',
        description: 'With `user_exists`: whether a user with the id of the request exists, under any address.',
      },
    }),
    ...(described.permissions && {
      permission: {
        type: 'string',
        enum: described.permissions.names,
        description: 'With `not_permitted`: the permission that the key or token lacks.',
      },
    }),
  },
});

/** The content of a response that may be an HTML page. */
export const htmlContent = { 'text/html': { schema: { type: 'string' } } };

/** The headers of problem documents. */
const problemHeaders = {
  'X-Request-Id': 'Identifies the request in the log; equal to `requestId` of the problem document.',
  'WWW-Authenticate':
    'How the client authenticates; with `wrong_password`, the scheme `Password`, for which browsers ask nothing.',
  'Retry-After': 'When the request may succeed, in seconds, if that is known.',
  'Accept-Patch': 'With `unsupported_media_type`: the media types that are accepted (RFC 5789).',
} as const;

type ProblemHeader = keyof typeof problemHeaders;

/** Headers by their meaning. */
export const headersObject = (headers: Readonly<Record<string, string>>): Schema =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );

/** The headers of problem documents, to which responses refer. */
export const headerComponents: Schema = {
  ...headersObject(problemHeaders),
  'Retry-After': { description: problemHeaders['Retry-After'], schema: { type: 'integer', minimum: 0 } },
};

/** Refers to headers of problem documents. */
const headerReferences = (names: readonly ProblemHeader[]): Schema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** `namesScope`: whether the header names the scope that a token lacks. */
const headersOf = (codes: readonly ProblemCode[], isPatch: boolean, namesScope: boolean): readonly ProblemHeader[] => {
  const statuses = new Set(codes.map((code) => problems[code].status));
  const mayEnd = statuses.has(429) || statuses.has(503) || codes.includes('user_disabled');
  return [
    'X-Request-Id',
    ...(statuses.has(401) || namesScope ? (['WWW-Authenticate'] as const) : []),
    ...(mayEnd ? (['Retry-After'] as const) : []),
    ...(isPatch && codes.includes('unsupported_media_type') ? (['Accept-Patch'] as const) : []),
  ];
};

/** The permission that a route requires; undefined if it requires none. */
export const permissionOf = ({ requires }: Route): Permission | undefined =>
  requires === 'nothing' || requires === 'key' ? undefined : requires;

/** The problem document of a code that a route lists, as an example. */
const exampleOf = (code: ProblemCode, route: Route, limitsPermissions: boolean): unknown => {
  const permission = limitsPermissions && permissionOf(route);
  const refused = code === 'not_permitted' && permission ? notPermitted(permission) : { code };
  return JSON.parse(problemDocument(refused, undefined, route.details?.[code]));
};

/** The refusals of one status, each with its problem document as an example. */
export const refusalResponse = (
  codes: readonly ProblemCode[],
  route: Route,
  limitsPermissions: boolean,
  usesTokens: boolean,
): Schema => ({
  description: codes.map((code) => `\`${code}\`: ${route.details?.[code] ?? problems[code].detail}`).join('\n\n'),
  headers: headerReferences(headersOf(codes, route.method === 'patch', usesTokens && codes.includes('not_permitted'))),
  content: {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: Object.fromEntries(
        codes.map((code) => [
          code,
          { summary: problems[code].title, value: exampleOf(code, route, limitsPermissions) },
        ]),
      ),
    },
    ...(route.refusalPage && htmlContent),
  },
});

/** Every code with which a route can refuse, without those that are ruled out, in the order of the table of problems. */
export const codesOf = (
  route: Route,
  earlierCodes: EarlierCodes,
  absent: ReadonlySet<string>,
): readonly ProblemCode[] => {
  const { requires, body, parameters, refusals, ruledOut, sendsMail = false } = route;
  // Its address of the client may be a header.
  const checksPassword = refusals.includes('wrong_password');
  const refusesPassword = checksPassword || refusals.includes('unsuitable_password');
  const { callsStore = refusals.length > 0, mayOverload = refusesPassword } = route;
  // Only where a key has `may` or `properties`; their configuration adds the code.
  const usual = refusals.filter((code) => code !== 'not_permitted' && !ruledOut?.includes(code));
  const codes = new Set<string>([...commonCodes, ...earlierCodes(route), ...usual]);
  const add = (applies: boolean, ...added: readonly ProblemCode[]): void => {
    if (applies) for (const code of added) codes.add(code);
  };
  add(body !== undefined, 'invalid_json', 'invalid_body', 'body_too_large');
  add(body !== undefined, 'unsupported_media_type', 'unsupported_encoding', 'overloaded');
  add(checksPassword || parameters.some(({ neverFails = false }) => !neverFails), 'invalid_parameter');
  add(requires !== 'nothing', 'client_unauthorized');
  add(callsStore, 'store_rejected', 'store_unavailable', 'timed_out');
  add(mayOverload, 'overloaded');
  add(sendsMail, 'mail_failed');
  return Object.keys(problems).filter((code): code is ProblemCode => codes.has(code) && !absent.has(code));
};
