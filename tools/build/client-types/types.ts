import openapiTypescript, { astToString } from 'openapi-typescript';

/** The members of an OpenAPI document that are changed here. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: { readonly User: { readonly required: readonly string[] } } };
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
}

const mapped = <A, B>(record: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));

const withoutRequiredPassword = ({ schemas }: Document['components']): Document['components'] => ({
  schemas: {
    ...schemas,
    User: { ...schemas.User, required: schemas.User.required.filter((name) => name !== 'password') },
  },
});

/** A document that fits services with any setting of `headerCheck` and `hidePasswords`. */
const withOptionalPassword = (document: Document): Document => ({
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

/** The source of sdk/client/openapi.ts: the types of an OpenAPI document in JSON. */
export const typesOf = async (json: string): Promise<string> => {
  const document = withOptionalPassword(JSON.parse(json));
  return head + astToString(await openapiTypescript(JSON.stringify(document)));
};
