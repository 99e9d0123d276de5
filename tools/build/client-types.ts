// `npm run client:types`: writes sdk/client/openapi.ts from the OpenAPI document of the service. With `--print`, writes
// to the standard output instead.
import { writeFile } from 'node:fs/promises';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { startFullService } from '../docs/full-service.ts';

/** The parts of the OpenAPI document that are changed here. */
interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: { readonly User: { readonly required: readonly string[] } } };
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
}

const mapped = <A, B>(record: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));

const withoutRequiredPassword = ({ schemas }: OpenApiDocument['components']): OpenApiDocument['components'] => ({
  schemas: {
    ...schemas,
    User: { ...schemas.User, required: schemas.User.required.filter((name) => !name.startsWith('password')) },
  },
});

/** Makes passwords optional, because a service may be configured not to check the header, or not to return them. */
const withOptionalPassword = (document: OpenApiDocument): OpenApiDocument => ({
  ...document,
  components: { ...document.components, ...withoutRequiredPassword(document.components) },
  paths: mapped(document.paths, (path) =>
    mapped(path, (operation) => ({
      ...operation,
      ...(operation.parameters && {
        parameters: operation.parameters.map((parameter) => ({
          ...parameter,
          required: parameter.required && parameter.name !== 'password',
        })),
      }),
    })),
  ),
});

const head = '// Generated from the OpenAPI document by `npm run client:types`. Do not edit.\n\n';

/** The source of sdk/client/openapi.ts for an OpenAPI document as JSON. */
const typesOf = async (json: string): Promise<string> => {
  const document = withOptionalPassword(JSON.parse(json));
  return head + astToString(await openapiTypescript(JSON.stringify(document)));
};

const latchkey = await startFullService();
try {
  const response = await fetch(`${latchkey.url}/openapi.json`);
  const types = await typesOf(await response.text());
  if (process.argv.includes('--print')) process.stdout.write(types);
  else await writeFile(new URL('../../sdk/client/openapi.ts', import.meta.url), types);
} finally {
  await latchkey.stop();
}
