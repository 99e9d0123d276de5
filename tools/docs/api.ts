import { problems } from '../../adapters/http/api/problems.ts';
import { isMapping } from '../../adapters/kit/option-block.ts';
import { startFullService } from './full-service.ts';
import type { Regions } from './markdown.ts';
import { code, table } from './markdown.ts';

interface WithDescription {
  readonly description: string;
}

/** The used members of an operation of the OpenAPI document. */
interface Operation extends WithDescription {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly unknown[];
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
const codesOf = (content: unknown): readonly string[] => {
  const problem = isMapping(content) ? content['application/problem+json'] : undefined;
  return isMapping(problem) && isMapping(problem.examples) ? Object.keys(problem.examples) : [];
};

const responsesOf = ({ responses }: Operation): string =>
  table(
    ['Status', 'Response'],
    Object.entries(responses).map(([status, { description, content }]) => {
      const codes = codesOf(content);
      return [status, codes.length === 0 ? description : codes.map(code).join(', ')];
    }),
  );

const inputsOf = ({ parameters = [], requestBody }: Operation): readonly string[] => {
  const rows = parameters.map(({ name, in: location, required, description }) => [
    code(name),
    location,
    required ? 'yes' : 'no',
    description,
  ]);
  if (requestBody !== undefined) rows.unshift(['', 'body', 'yes', requestBody.description]);
  return rows.length === 0 ? [] : [table(['Input', 'In', 'Required', 'Meaning'], rows)];
};

const sectionOf = (method: string, path: string, operation: Operation): string =>
  [
    `### ${method.toUpperCase()} ${path}`,
    `${operation.summary}. ${operation.description}`,
    `Operation ${code(operation.operationId)}. ${operation.security.length > 0 ? 'Needs' : 'No'} client authentication.`,
    ...inputsOf(operation),
    responsesOf(operation),
  ].join('\n\n');

const operations = ({ paths }: OpenApiDocument): string =>
  Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => sectionOf(method, path, operation)),
    )
    .join('\n\n');

const codes = (): string =>
  table(
    ['Code', 'Status', 'Title', 'Detail'],
    Object.entries(problems)
      .sort(([, one], [, other]) => one.status - other.status)
      .map(([name, { status, title, detail }]) => [code(name), String(status), title, detail]),
  );

/** The regions of docs/api.md: the operations of the OpenAPI document, and the problem codes. */
export const apiRegions = async (): Promise<Regions> =>
  new Map([
    ['operations', operations(await documentOfService())],
    ['problem codes', codes()],
  ]);
