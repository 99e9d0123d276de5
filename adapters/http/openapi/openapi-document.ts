import { problems } from '../api/problems.ts';
import { jsonBody } from '../api/request-body.ts';
import type { BodyDescription, ParameterDescription, ResponseDescription, Route, Schema } from '../api/route-types.ts';
import {
  absentCodes,
  codesOf,
  type Described,
  type EarlierCodes,
  headerComponents,
  headersObject,
  htmlContent,
  permissionOf,
  problemSchema,
  refusalResponse,
} from './documented-refusals.ts';
import { NamedSchemas } from './named-schemas.ts';

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
type SecurityScheme = 'basic' | 'oauth' | 'none';

/** The parts of the document that depend on the configuration. */
export interface DocumentContext extends Described {
  readonly earlierCodes: EarlierCodes;
  readonly security: SecurityScheme;
  /** The public address of the service; null when it is not configured. */
  readonly publicUrl: string | null;
  /** The schema of a user in responses. */
  readonly user: Schema;
  /** The option that holds the keys of Basic authentication. */
  readonly keysOption: 'auth.keys' | 'admin.keys';
}

const schemeOf = (security: Exclude<SecurityScheme, 'none'>, keysOption: DocumentContext['keysOption']): Schema =>
  security === 'basic'
    ? { type: 'http', scheme: 'basic', description: `An application and its secret, from \`${keysOption}\`.` }
    : { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token of the configured issuer.' };

const parameterObject = (
  { name, in: place, required, description, schema, example }: ParameterDescription,
  schemas: NamedSchemas,
): Schema => ({
  name,
  in: place,
  required,
  description: required ? description : `${description} Example: \`${example}\`.`,
  schema: schemas.referTo(schema),
  // Pages such as Swagger UI send the example, and optional parameters have to be left out by default.
  ...(required && { example }),
});

const requestBodyObject = (
  { description, schema, examples }: BodyDescription,
  mediaTypes: readonly string[],
  schemas: NamedSchemas,
): Schema => ({
  description,
  required: true,
  content: Object.fromEntries(mediaTypes.map((type) => [type, { schema: schemas.referTo(schema), examples }])),
});

const responseObject = (
  { description, content, headers, page: orPage = false }: ResponseDescription,
  schemas: NamedSchemas,
): Schema => ({
  description,
  ...(headers && { headers: headersObject(headers) }),
  ...(content && {
    content: {
      [content.type]: {
        schema: schemas.referTo(content.schema),
        ...(content.example !== undefined && { example: content.example }),
      },
      ...(orPage && htmlContent),
    },
  }),
});

/** A route that the document has. */
type Documented = Route & { readonly document: NonNullable<Route['document']> };

const isDocumented = (route: Route): route is Documented => route.document !== null;

const responses = (route: Documented, context: DocumentContext, schemas: NamedSchemas): Schema => {
  const codes = codesOf(route, context.earlierCodes, absentCodes(context));
  const statuses = new Set(codes.map((code) => problems[code].status));
  const refusalsOf = (status: number): Schema =>
    refusalResponse(
      codes.filter((code) => problems[code].status === status),
      route,
      context.permissions !== undefined,
      context.security === 'oauth',
    );
  return Object.fromEntries([
    ...Object.entries(route.document.responses).map(([status, response]) => [
      status,
      responseObject(response, schemas),
    ]),
    ...[...statuses].map((status) => [status, refusalsOf(status)]),
  ]);
};

/** What a client needs: OpenAPI 3.1 lists scopes of tokens and roles of keys alike. */
const securityOf = (route: Route, { security, permissions }: DocumentContext): readonly Schema[] => {
  if (route.requires === 'nothing' || security === 'none') return [];
  const permission = permissionOf(route);
  return [{ [security]: permissions && permission ? [permissions.prefix + permission] : [] }];
};

const operation = (route: Documented, context: DocumentContext, schemas: NamedSchemas): Schema => {
  const { tag, summary, description, body } = route.document;
  const parameters = route.parameters
    .filter((parameter) => parameter.in !== 'connection')
    .flatMap((parameter) => parameter.alternatives ?? parameter);
  return {
    operationId: route.operation,
    tags: [tag.name],
    summary,
    description,
    security: securityOf(route, context),
    ...(parameters.length > 0 && { parameters: parameters.map((parameter) => parameterObject(parameter, schemas)) }),
    ...(body && { requestBody: requestBodyObject(body, (route.body?.format ?? jsonBody).mediaTypes, schemas) }),
    responses: responses(route, context, schemas),
  };
};

/** The OpenAPI 3.1 document of the routes that programs may call; their tags in the order of the routes. */
export const openApiDocument = (
  routes: readonly Route[],
  { title, version, description, contact, contactEmail, license, licenseUrl }: ApiInformation,
  context: DocumentContext,
): Schema => {
  const { security, publicUrl: url, user, keysOption, ids = false } = context;
  const schemas = new NamedSchemas();
  const paths: Record<string, Record<string, Schema>> = {};
  const documented = routes.filter(isDocumented);
  const tags = new Map(documented.map(({ document: { tag } }) => [tag.name, tag]));
  for (const route of documented) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route, context, schemas) };
  }
  schemas.referTo(user);
  schemas.referTo(problemSchema(context));
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
    // Generated clients use the first address, so that it is absolute if possible.
    servers: [
      ...(url === null ? [] : [{ url, description: 'The public address' }]),
      { url: '/', description: 'The host of this document' },
    ],
    tags: [...tags.values()].map(({ withIds, ...tag }) => (ids && withIds ? { ...tag, description: withIds } : tag)),
    paths,
    components: {
      schemas: schemas.components,
      headers: headerComponents,
      ...(security !== 'none' && { securitySchemes: { [security]: schemeOf(security, keysOption) } }),
    },
  };
};
