import { commonCodes, type ProblemCode, problems } from '../api/problems.ts';
import { patchTypes, problemDocument } from '../api/refusal.ts';
import type { Body, Parameter, ResponseDescription, Route, Schema } from '../api/route-types.ts';
import { userReference } from '../api/user-schema.ts';

/** The options of the block `openApi` that describe the service. */
export interface ApiInformation {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly contact: string | null;
  readonly contactEmail: string | null;
  readonly license: string;
  readonly licenseUrl: string;
}

/** How clients authenticate; `none` when no `auth` block is configured. */
export type SecurityScheme = 'basic' | 'oauth' | 'none';

/** The parts of the document that depend on the configuration. */
export interface DocumentContext {
  readonly security: SecurityScheme;
  /** Whether the keys that verify tokens are fetched from the issuer. */
  readonly fetchesKeys: boolean;
  /** The public address of the service; null when it is not configured. */
  readonly publicUrl: string | null;
  /** The schema of a user in responses. */
  readonly user: Schema;
}

const problemSchema = (codes: readonly ProblemCode[]): Schema => ({
  type: 'object',
  description: 'A problem document (RFC 9457). `code` is stable; texts are fixed.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', description: '`urn:latchkey:problem:` followed by the code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: codes },
    requestId: {
      type: 'string',
      description:
        'Identifies the request in the log: the `X-Request-Id` of the request, or the trace id of its `traceparent`, if present.',
    },
    errors: {
      type: 'array',
      description: 'The invalid fields, if known.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
});

const schemes: Readonly<Record<Exclude<SecurityScheme, 'none'>, Schema>> = {
  basic: { type: 'http', scheme: 'basic', description: 'An application and its secret, from `auth.keys`.' },
  oauth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token of the configured issuer.' },
};

const parameterObject = ({ name, in: place, required, description, schema, example }: Parameter<unknown>): Schema => ({
  name,
  in: place,
  required,
  description,
  schema,
  example,
});

const requestBodyObject = ({ description, schema, examples }: Body<unknown>, method: Route['method']): Schema => ({
  description,
  required: true,
  content: Object.fromEntries(
    (method === 'patch' ? patchTypes : ['application/json']).map((type) => [type, { schema, examples }]),
  ),
});

const page = { 'text/html': { schema: { type: 'string' } } };

const responseObject = ({ description, content, headers, page: orPage = false }: ResponseDescription): Schema => ({
  description,
  ...(headers && {
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, meaning]) => [name, { description: meaning, schema: { type: 'string' } }]),
    ),
  }),
  ...(content && {
    content: {
      [content.type]: { schema: content.schema, ...(content.example !== undefined && { example: content.example }) },
      ...(orPage && page),
    },
  }),
});

/** The refusals of one status, each with its problem document as an example. */
const refusalResponse = (codes: readonly ProblemCode[], pages: boolean): Schema => ({
  description: codes.map((code) => `\`${code}\`: ${problems[code].detail}`).join('\n\n'),
  content: {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: Object.fromEntries(
        codes.map((code) => [code, { summary: problems[code].title, value: JSON.parse(problemDocument({ code })) }]),
      ),
    },
    ...(pages && page),
  },
});

/** Codes of requests that reach no route. */
const codesWithoutRoute = ['route_not_found', 'method_not_allowed', 'request_timeout', 'headers_too_large'] as const;

/** Every code with which a route can refuse, in the order of the table of problems. */
const codesOf = (route: Route, fetchesKeys: boolean): readonly ProblemCode[] => {
  const { authenticated, body, parameters, refusals, sendsMail = false } = route;
  const codes = new Set<string>([...commonCodes, ...refusals]);
  const add = (applies: boolean, ...added: readonly ProblemCode[]): void => {
    if (applies) for (const code of added) codes.add(code);
  };
  add(body !== undefined, 'invalid_json', 'invalid_body', 'body_too_large');
  add(body !== undefined, 'unsupported_media_type', 'unsupported_encoding');
  add(parameters.length > 0, 'invalid_parameter');
  add(authenticated, 'client_unauthorized');
  add(authenticated && fetchesKeys, 'keys_unavailable');
  // A route without refusals has no use case; every use case calls the store.
  add(refusals.length > 0, 'store_rejected', 'store_unavailable', 'timed_out');
  // Use cases with these refusals hash a password.
  add(refusals.includes('wrong_password') || refusals.includes('unsuitable_password'), 'overloaded');
  add(sendsMail, 'mail_failed');
  return Object.keys(problems).filter((code): code is ProblemCode => codes.has(code));
};

const responses = (route: Route, fetchesKeys: boolean): Schema => {
  const codes = codesOf(route, fetchesKeys);
  const statuses = [...new Set(codes.map((code) => problems[code].status))].sort();
  const refusalsOf = (status: number): Schema => {
    const ofStatus = codes.filter((code) => problems[code].status === status);
    return refusalResponse(ofStatus, route.refusesWithPage !== undefined);
  };
  return {
    ...Object.fromEntries(
      Object.entries(route.responses).map(([status, described]) => [status, responseObject(described)]),
    ),
    ...Object.fromEntries(statuses.map((status) => [status, refusalsOf(status)])),
  };
};

/** The parameters that a caller sends. */
const sentParameters = ({ parameters }: Route): readonly Parameter<unknown>[] =>
  parameters.filter((parameter) => parameter.in !== 'connection');

const operation = (route: Route, { security, fetchesKeys }: DocumentContext): Schema => ({
  operationId: route.operation,
  tags: [route.tag],
  summary: route.summary,
  description: route.description,
  security: route.authenticated && security !== 'none' ? [{ [security]: [] }] : [],
  ...(sentParameters(route).length > 0 && { parameters: sentParameters(route).map(parameterObject) }),
  ...(route.body && { requestBody: requestBodyObject(route.body, route.method) }),
  responses: responses(route, fetchesKeys),
});

/** The OpenAPI 3.1 document of the routes that are served. */
export const openApiDocument = (
  routes: readonly Route[],
  { title, version, description, contact, contactEmail, license, licenseUrl }: ApiInformation,
  context: DocumentContext,
): Schema => {
  const { security, fetchesKeys, publicUrl: url, user } = context;
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: operation(route, context) };
  const routeCodes = routes.flatMap((route) => codesOf(route, fetchesKeys));
  const codes = [...new Set<ProblemCode>([...routeCodes, ...codesWithoutRoute])].sort();
  const contactObject = {
    ...(contact !== null && { name: contact }),
    ...(contactEmail !== null && { email: contactEmail }),
  };
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description,
      ...(Object.keys(contactObject).length > 0 && { contact: contactObject }),
      license: { name: license, url: licenseUrl },
    },
    // The first address is relative to that of the document, so that it is right behind every proxy and under every
    // host name.
    servers: [
      { url: './', description: 'This service' },
      ...(url === null ? [] : [{ url, description: 'Its public address' }]),
    ],
    tags: [
      { name: 'Users', description: 'User accounts, identified by email address.' },
      { name: 'Verification', description: 'Verification of email addresses.' },
    ],
    paths,
    components: {
      schemas: { [String(userReference.$ref).split('/').pop() ?? '']: user, Problem: problemSchema(codes) },
      ...(security !== 'none' && { securitySchemes: { [security]: schemes[security] } }),
    },
  };
};
