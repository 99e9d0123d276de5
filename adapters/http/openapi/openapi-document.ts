import { type ProblemCode, problems } from '../api/problems.ts';
import { patchTypes } from '../api/refusal.ts';
import type { Body, Parameter, ResponseDescription, Route, Schema } from '../api/route-types.ts';
import { userReference } from '../api/user-schema.ts';
import {
  type CodeContext,
  codesOf,
  headersObject,
  page,
  problemSchema,
  refusalResponse,
} from './documented-refusals.ts';

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
export interface DocumentContext extends CodeContext {
  readonly security: SecurityScheme;
  /** The public address of the service; null when it is not configured. */
  readonly publicUrl: string | null;
  /** The schema of a user in responses. */
  readonly user: Schema;
  /** The option that holds the keys of Basic authentication. */
  readonly keysOption: 'auth.keys' | 'admin.keys';
  /** Where the paths begin, relative to the address of the document. */
  readonly root: './' | '../';
}

const schemeOf = (security: Exclude<SecurityScheme, 'none'>, keysOption: DocumentContext['keysOption']): Schema =>
  security === 'basic'
    ? { type: 'http', scheme: 'basic', description: `An application and its secret, from \`${keysOption}\`.` }
    : { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token of the configured issuer.' };

const parameterObject = ({ name, in: place, required, description, schema, example }: Parameter<unknown>): Schema => ({
  name,
  in: place,
  required,
  description,
  schema,
  example,
});

const requestBodyObject = (
  { description, schema, examples, mediaType }: Body<unknown>,
  method: Route['method'],
): Schema => ({
  description,
  required: true,
  content: Object.fromEntries(
    (method === 'patch' ? patchTypes : [mediaType ?? 'application/json']).map((type) => [type, { schema, examples }]),
  ),
});

const responseObject = ({ description, content, headers, page: orPage = false }: ResponseDescription): Schema => ({
  description,
  ...(headers && headersObject(headers)),
  ...(content && {
    content: {
      [content.type]: { schema: content.schema, ...(content.example !== undefined && { example: content.example }) },
      ...(orPage && page),
    },
  }),
});

/** Codes of requests that reach no route. */
const codesWithoutRoute = ['route_not_found', 'method_not_allowed', 'request_timeout', 'headers_too_large'] as const;

const responses = (route: Route, context: DocumentContext): Schema => {
  const codes = codesOf(route, context);
  const statuses = [...new Set(codes.map((code) => problems[code].status))].sort();
  const refusalsOf = (status: number): Schema => {
    const ofStatus = codes.filter((code) => problems[code].status === status);
    return refusalResponse(ofStatus, route.method === 'patch', route.refusalPage !== undefined);
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

const operation = (route: Route, context: DocumentContext): Schema => ({
  operationId: route.operation,
  tags: [route.tag],
  summary: route.summary,
  description: route.description,
  security: route.authenticated && context.security !== 'none' ? [{ [context.security]: [] }] : [],
  ...(sentParameters(route).length > 0 && { parameters: sentParameters(route).map(parameterObject) }),
  ...(route.body && { requestBody: requestBodyObject(route.body, route.method) }),
  responses: responses(route, context),
});

/** The OpenAPI 3.1 document of the routes that are served. */
export const openApiDocument = (
  routes: readonly Route[],
  { title, version, description, contact, contactEmail, license, licenseUrl }: ApiInformation,
  context: DocumentContext,
): Schema => {
  const { security, publicUrl: url, user, keysOption, root } = context;
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route, context) };
  }
  const routeCodes = routes.flatMap((route) => codesOf(route, context));
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
      { url: root, description: 'This service' },
      ...(url === null ? [] : [{ url, description: 'Its public address' }]),
    ],
    tags: [
      { name: 'Users', description: 'User accounts, identified by email address.' },
      { name: 'Verification', description: 'Verification of email addresses.' },
      ...(routes.some(({ tag }) => tag === 'Recovery')
        ? [{ name: 'Recovery', description: 'Replacement of forgotten passwords.' }]
        : []),
    ],
    paths,
    components: {
      schemas: { [String(userReference.$ref).split('/').pop() ?? '']: user, Problem: problemSchema(codes) },
      ...(security !== 'none' && { securitySchemes: { [security]: schemeOf(security, keysOption) } }),
    },
  };
};
