// `npm run client:types`: writes sdk/client/openapi.ts and admin-openapi.ts from the OpenAPI documents of the service.
// With `--print FILE`, writes one of them to the standard output instead.
import { writeFile } from 'node:fs/promises';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { fullServiceAdministrator, startFullService } from '../docs/full-service.ts';

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

/** The source of the types of an OpenAPI document as JSON. */
const typesOf = async (json: string): Promise<string> => {
  const document = withOptionalPassword(JSON.parse(json));
  return head + astToString(await openapiTypescript(JSON.stringify(document)));
};

const administrator = `${fullServiceAdministrator.application}:${fullServiceAdministrator.secret}`;

const latchkey = await startFullService();
const documents = [
  { file: 'openapi.ts', url: `${latchkey.url}/openapi.json`, headers: {} },
  {
    file: 'admin-openapi.ts',
    url: `${latchkey.adminUrl}/admin/openapi.json`,
    headers: { Authorization: `Basic ${btoa(administrator)}` },
  },
];
const printed = process.argv.includes('--print') ? process.argv.at(-1) : undefined;
try {
  for (const { file, url, headers } of documents) {
    const response = await fetch(url, { headers });
    const types = await typesOf(await response.text());
    if (printed === file) process.stdout.write(types);
    else if (printed === undefined) await writeFile(new URL(`../../sdk/client/${file}`, import.meta.url), types);
  }
} finally {
  await latchkey.stop();
}
