import { isMapping } from '../../adapters/kit/option-block.ts';
import { scopePrefix, startFullService } from './full-service.ts';

interface WithDescription {
  readonly description: string;
}

/** The used members of an operation of the OpenAPI document. */
export interface Operation extends WithDescription {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (WithDescription & {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
  })[];
  readonly requestBody?: WithDescription;
  readonly responses: Readonly<Record<string, WithDescription & { readonly content?: unknown }>>;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const documentOfService = async (): Promise<OpenApiDocument> => {
  const latchkey = await startFullService();
  try {
    const response = await fetch(`${latchkey.url}/openapi.json`);
    return JSON.parse(await response.text());
  } finally {
    await latchkey.stop();
  }
};

/** The problem codes of a response; empty for a success. */
export const codesOf = (content: unknown): readonly string[] => {
  const problem = isMapping(content) ? content['application/problem+json'] : undefined;
  return isMapping(problem) && isMapping(problem.examples) ? Object.keys(problem.examples) : [];
};

/** An operation with its place, and the problem codes of its responses. */
export interface DocumentedOperation extends Operation {
  readonly method: string;
  readonly path: string;
  readonly codes: readonly string[];
}

const operationsIn = ({ paths }: OpenApiDocument): readonly DocumentedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      codes: Object.values(operation.responses).flatMap(({ content }) => codesOf(content)),
    })),
  );

export const isAuthenticated = ({ security }: Operation): boolean => security.length > 0;

/** The permission that a client needs; undefined for operations that anyone may call. */
export const permissionOf = ({ security }: Operation): string | undefined =>
  security
    .flatMap(Object.values<readonly string[]>)
    .flat()[0]
    ?.replace(scopePrefix, '');

/** The operations of the OpenAPI document of a service with every option. */
export const documentedOperations = async (): Promise<readonly DocumentedOperation[]> =>
  operationsIn(await documentOfService());
