import { commonCodes, type ProblemCode, problems } from '../api/problems.ts';
import { problemDocument } from '../api/refusal.ts';
import type { Route, Schema } from '../api/route-types.ts';
import type { ConfiguredNames } from '../api/user-key.ts';

/** The codes of what runs before a route, besides those that every route has. */
export type EarlierCodes = (route: Route) => readonly ProblemCode[];

/** The codes of ids and unique properties, which routes list with any configuration. */
const codesOfNames: ReadonlySet<string> = new Set<ProblemCode>(['id_taken', 'id_immutable', 'property_taken']);

/** Whether users have ids or unique properties. */
export const hasNames = ({ ids = false, unique = [] }: ConfiguredNames): boolean => ids || unique.length > 0;

/**
 * Every code of the service, so that a generated client reads the refusals of every configuration. Those of ids and unique
 * properties are left out where users have neither.
 */
const codeSchema = (named: boolean): Schema => ({
  title: 'ProblemCode',
  type: 'string',
  enum: Object.keys(problems)
    .filter((code) => named || !codesOfNames.has(code))
    .sort(),
  description: 'Why a request was refused. Codes are stable.',
});

/** The schema of problem documents. */
export const problemSchema = (named: boolean): Schema => ({
  title: 'Problem',
  type: 'object',
  description: 'A problem document (RFC 9457). `code` is stable; texts are fixed.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', description: '`urn:latchkey:problem:` followed by the code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: codeSchema(named),
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
    ...(named && {
      sameId: {
        type: 'boolean',
        description: 'With `user_exists`: whether the user who has the address also has the id of the request.',
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

const headersOf = (codes: readonly ProblemCode[], isPatch: boolean): readonly ProblemHeader[] => {
  const statuses = new Set(codes.map((code) => problems[code].status));
  const mayEnd = statuses.has(429) || statuses.has(503) || codes.includes('user_disabled');
  return [
    'X-Request-Id',
    ...(statuses.has(401) ? (['WWW-Authenticate'] as const) : []),
    ...(mayEnd ? (['Retry-After'] as const) : []),
    ...(isPatch && codes.includes('unsupported_media_type') ? (['Accept-Patch'] as const) : []),
  ];
};

/** The refusals of one status, each with its problem document as an example. */
export const refusalResponse = (codes: readonly ProblemCode[], { method, refusalPage, details }: Route): Schema => ({
  description: codes.map((code) => `\`${code}\`: ${details?.[code] ?? problems[code].detail}`).join('\n\n'),
  headers: headerReferences(headersOf(codes, method === 'patch')),
  content: {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: Object.fromEntries(
        codes.map((code) => {
          const document = problemDocument({ code }, undefined, details?.[code]);
          return [code, { summary: problems[code].title, value: JSON.parse(document) }];
        }),
      ),
    },
    ...(refusalPage && htmlContent),
  },
});

/** Every code with which a route can refuse, in the order of the table of problems. */
export const codesOf = (route: Route, earlierCodes: EarlierCodes, named: boolean): readonly ProblemCode[] => {
  const { requires, body, parameters, refusals, sendsMail = false } = route;
  // Its address of the client may be a header.
  const checksPassword = refusals.includes('wrong_password');
  const refusesPassword = checksPassword || refusals.includes('unsuitable_password');
  const { callsStore = refusals.length > 0, mayOverload = refusesPassword } = route;
  // Only where a key has `properties`; its configuration adds the code.
  const usual = refusals.filter((code) => code !== 'not_permitted');
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
  if (!named) for (const code of codesOfNames) codes.delete(code);
  return Object.keys(problems).filter((code): code is ProblemCode => codes.has(code));
};
