import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { EmailAddress } from '../../../domain/email-address.ts';
import { clientHeaders, Installation, type Serving } from '../installation.ts';
import type { Schema } from './described-requests.ts';

/** The parts of an OpenAPI document that these tests read. */
export interface Document {
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Example {
  readonly value: unknown;
}

export interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example>>;
}

interface Declared {
  readonly headers?: object;
  readonly content?: Readonly<Record<string, Content>>;
}

export interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description: string;
    readonly schema: Schema;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly description: string; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Declared>>;
}

/** The violations of a schema of the document by a value. */
export type Judge = (schema: unknown, value: unknown) => readonly string[];

const documentId = 'https://example.com/openapi.json';

export const judgeOf = (document: Document): Judge => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addFormat('idn-email', EmailAddress.is);
  ajv.addSchema({ $id: documentId, ...document });
  const compiled = new Map<unknown, ValidateFunction>();
  return (schema, value) => {
    // References inside the document start at its root.
    const absolute = () => JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${documentId}#/`));
    const validate = compiled.get(schema) ?? ajv.compile(absolute());
    compiled.set(schema, validate);
    return validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
};

/** A running service with its OpenAPI document. */
export interface DescribedService {
  readonly url: string;
  readonly installation: Installation;
  readonly serving: Serving;
  readonly document: Document;
  readonly judge: Judge;
}

/** Starts a service with further blocks of its configuration. */
export const describedService = async (blocks: Readonly<Record<string, unknown>> = {}): Promise<DescribedService> => {
  const installation = await Installation.create();
  await installation.configure(blocks);
  const serving = await installation.serve();
  const document: Document = JSON.parse(await (await fetch(`${serving.url}/openapi.json`)).text());
  return { url: serving.url, installation, serving, document, judge: judgeOf(document) };
};

/** Starts a service for all tests of a suite. */
export const withDescribedService = (blocks?: Readonly<Record<string, unknown>>): (() => DescribedService) => {
  let service: DescribedService | undefined;
  before(async () => {
    service = await describedService(blocks);
  });
  after(async () => {
    await service?.installation.dispose();
  });
  return () => {
    if (service === undefined) throw new TypeError('the service runs only while the suite does');
    return service;
  };
};

export const password = 'correct horse battery staple';

/** Sends an authenticated request with the password of the user; `headers` override its headers. */
export const send = (
  url: string,
  method: string,
  target: string,
  { body, headers = {} }: { body?: unknown; headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> =>
  fetch(url + target, {
    method,
    redirect: 'manual',
    headers: { ...clientHeaders, password, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });

/** Fails unless the document declares the status, the media type and the shape of a response. */
export const expectDeclared = async (
  { document, judge }: Pick<DescribedService, 'document' | 'judge'>,
  method: string,
  /** As the document has it; a query is ignored. */
  target: string,
  response: Response,
): Promise<void> => {
  const path = target.split('?')[0] ?? '';
  const declared = document.paths[path]?.[method.toLowerCase()]?.responses[response.status];
  expect(declared, `${response.status} of ${method} ${target}`).not.to.equal(undefined);
  for (const name of ['Accept-Patch', 'ETag', 'Preference-Applied', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'])
    if (response.headers.has(name))
      expect(declared?.headers, `${response.status} of ${method} ${target}`).to.include.keys(name);
  const body = await response.text();
  if (body === '') {
    expect(declared).not.to.have.property('content');
    return;
  }
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  const content = declared?.content?.[type];
  expect(content, `${type} with ${response.status} of ${method} ${target}`).not.to.equal(undefined);
  if (type === 'text/html') return;
  const value = JSON.parse(body);
  expect(judge(content?.schema, value)).to.deep.equal([]);
  if (type === 'application/problem+json') expect(content?.examples).to.include.keys(value.code);
};
