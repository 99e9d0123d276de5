import { expect } from 'chai';
import type { Client, Received } from './client.ts';
import type { Harness } from './harness.ts';

/** The used parts of the responses of an operation in an OpenAPI document. */
type Responses = Readonly<
  Record<
    string,
    { readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, unknown>> }>> }
  >
>;

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Responses }>>>>;
}

/** The codes of requests that are refused before their target is known. */
const earlyCodes: ReadonlySet<string | undefined> = new Set([
  'request_timeout',
  'headers_too_large',
  'unsupported_transfer_coding',
]);

/** Whether the document has the status of a response, its media type and its problem code; also for other resources. */
const isDocumented = ({ paths }: OpenApiDocument, { method, path, status, type, code }: Received): boolean => {
  const operation = paths[path.replace(/(?<=.)\/$/, '')]?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  if (operation === undefined || earlyCodes.has(code)) return true;
  const declared = operation.responses[status];
  if (declared === undefined || type === undefined) return declared !== undefined;
  const content = declared.content?.[type];
  return content !== undefined && (code === undefined || Object.hasOwn(content.examples ?? {}, code));
};

/** The responses to a client that the document of its service lacks; none if the service has no document. */
const undocumentedOf = async (client: Client): Promise<readonly string[]> => {
  const response = await fetch(`${client.url}/openapi.json`);
  const text = await response.text();
  if (response.status !== 200) return [];
  const document: OpenApiDocument = JSON.parse(text);
  return client.received
    .filter((received) => !isDocumented(document, received))
    .map(({ method, path, status, type = '', code = '' }) => `${method} ${path}: ${status} ${type} ${code}`);
};

/** Compares the responses of the run so far with the OpenAPI documents. Must run after the other suites. */
export const documentedResponses = (harness: Harness): void => {
  it('every status and code that this run received is in the OpenAPI document of its service', async () => {
    const { client } = await harness.service();
    await client.create();
    const undocumented: string[] = [];
    for (const other of harness.clients) undocumented.push(...(await undocumentedOf(other)));
    expect(client.received).to.not.deep.equal([]);
    expect([...new Set(undocumented)]).to.deep.equal([]);
  });
};
