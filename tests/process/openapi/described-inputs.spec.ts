import { expect } from 'chai';
import fc from 'fast-check';
import { administrator, configurations } from './configurations.ts';
import { allowedBy, type Schema } from './described-requests.ts';
import {
  type DescribedService,
  type Document,
  describedService,
  expectDeclared,
  judgeOf,
  type Operation,
  password,
  send,
} from './described-service.ts';

const Authorization = `Basic ${btoa(`${administrator.application}:${administrator.secret}`)}`;
const email = { address: 'jane@example.com' };

/** The codes of inputs that are refused by themselves, whatever is stored. */
const malformed = ['invalid_parameter', 'invalid_body', 'invalid_json', 'invalid_properties', 'unsupported_media_type'];

/** Inputs that are accepted although no schema allows them; the text in the description of the parameter says so. */
const lenient: Readonly<Record<string, readonly [values: RegExp, text: string]>> = {
  response_type: [/^(?:json|html)?$/i, 'In any case; an empty value means `json`.'],
  'X-Client-Address': [/^[^%]+%\w+$/, 'The zone of an IPv6 address'],
};
/** Inputs that are refused although the schema allows them; the text in the description says so. */
const narrow: Readonly<Record<string, string>> = {
  after: 'The `next` of the previous page',
  until: 'A time in the future',
};

/** Without the inputs that are refused alone: a property to search for, or its value. */
const complete = ({ property, value, ...values }: Values): Values =>
  property === undefined || value === undefined ? values : { ...values, property, value };

const odd = [
  ...['', ' ', 'x', '*', '"', '"a"', 'W/"a"', '"a" , "é"', ',', '"a""b"', 'true', 'TRUE', 'JSON', 'xml', 'null'],
  ...['0', '1', '007', '201', '-1', '1.5', '1e2', '9'.repeat(20), 'disabled', 'Disabled', 'amFuZUBleGFtcGxlLmNvbQ'],
  ...['jane@localhost', 'JANE@example.com', '"jane doe"@example.com', 'jäne@bücher.example', 'jane@[192.0.2.1]', '@'],
  ...['192.0.2.1', '01.2.3.4', '192.0.2', '::1', '::ffff:192.0.2.1', 'fe80::1%eth0', '1::2::3', '192.0.2.1, ::1'],
  ...[`${'ü'.repeat(40)}@example.com`, 'j@'.padEnd(300, 'x'), 'ü'.repeat(300), '\u{1f600}'.repeat(130)],
];
const oddJson = [
  null,
  true,
  'true',
  0,
  -1,
  1.5,
  2 ** 53 - 1,
  'x',
  '',
  ' ',
  'jane@localhost',
  [],
  {},
  [1],
  { address: 1 },
];

/** Whether a request needs a parameter: also the password, unless the configuration ignores it. */
const isNeeded = ({ required, name, description }: NonNullable<Operation['parameters']>[number]): boolean =>
  required || (name === 'password' && description.includes('Required, unless `password*`'));

/** A document, and how its operations are called. */
interface Described extends Pick<DescribedService, 'document' | 'judge' | 'url'> {
  readonly headers: Values;
}

type Values = Readonly<Record<string, string>>;

/** By what a request names a user, where the description says that it has one of them. */
const names = ['email', 'id', 'username'];

/** Keeps one of the names, and adds the first if a request needs one and has none. */
const withOneName = <Value>(
  given: Readonly<Record<string, Value>>,
  description: string,
  first: Value,
): Readonly<Record<string, Value>> => {
  if (!description.includes(' one of `email`')) return given;
  const [kept, ...others] = names.filter((name) => Object.hasOwn(given, name));
  const isMissing = kept === undefined && description.includes('Exactly one');
  const one = Object.entries(given).filter(([name]) => !others.includes(name));
  return { ...(isMissing && { email: first }), ...Object.fromEntries(one) };
};

const withoutNames = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

/** Values of unique properties have no control characters, as their description says. */
const comparable = (body: Readonly<Record<string, unknown>>): object =>
  typeof body.username === 'string' ? { ...body, username: `jane${body.username.length}` } : body;

const descriptionsOf = ({ parameters = [] }: Operation): string =>
  parameters.map(({ description }) => description).join(' ');

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
// What a header cannot carry (RFC 9110, section 5.5).
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a header cannot carry
const fitsHeader = (text: string): boolean => !/[\0-\x1f\x7f]|^ | $/.test(text);

/** The value of a parameter, which is sent as text. */
const typedBy = ({ type }: Schema, text: string): unknown => {
  if (type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true';
  return type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text;
};

/** Every body that has one member of `body` replaced, removed or added. */
function* changed(body: unknown): Generator<unknown> {
  yield* oddJson;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
  yield { ...body, unknown: 1 };
  yield { ...body, creationTime: 'x' };
  for (const [name, value] of Object.entries({
    password: '',
    verified: true,
    verificationToken: '',
    pending: '',
    ...body,
  })) {
    const { [name]: _, ...others } = Object(body);
    yield others;
    for (const next of changed(value)) yield { ...body, [name]: next };
  }
}

describe('the inputs that the OpenAPI documents describe', function () {
  this.timeout(120_000);

  for (const [name, blocks] of Object.entries(configurations))
    describe(`with ${name}`, () => {
      let service: DescribedService;
      let documents: readonly Described[] = [];
      let user: unknown;

      before(async () => {
        service = await describedService(blocks);
        const { url, document, serving } = service;
        const response = await fetch(`${serving.adminUrl}/admin/openapi.json`, { headers: { Authorization } });
        const administration: Document = JSON.parse(await response.text());
        documents = [
          { document, judge: service.judge, url, headers: {} },
          {
            document: administration,
            judge: judgeOf(administration),
            url: serving.adminUrl,
            headers: { Authorization },
          },
        ];
        const examples = document.paths['/users']?.post?.requestBody?.content['application/json']?.examples ?? {};
        user = Object.values(examples).at(-1)?.value;
        await restore();
      });
      after(() => service.installation.dispose());

      const restore = async () => {
        const { url, serving } = service;
        await fetch(`${serving.adminUrl}/admin/users/${email.address}`, {
          method: 'DELETE',
          headers: { Authorization },
        });
        expect((await send(url, 'POST', '/users', { body: user })).status).to.equal(201);
      };

      /** Sends a request, expects that its response is declared, and returns its code, if it has one. */
      const codeOf = async (
        { document, judge, url, headers }: Described,
        [method, path, operation]: readonly [string, string, Operation],
        values: Values,
        body: unknown,
      ): Promise<string | undefined> => {
        let target = path;
        const query = new URLSearchParams();
        const sent: Record<string, string> = { password: '', ...headers };
        for (const { name, in: place } of operation.parameters ?? []) {
          const value = values[name];
          if (value === undefined) continue;
          if (place === 'path') target = target.replace(`{${name}}`, () => encodeURIComponent(value));
          else if (place === 'query') query.append(name, value);
          else sent[name] = latin1(value);
        }
        const [type = ''] = Object.keys(operation.requestBody?.content ?? {});
        if (type !== '') sent['Content-Type'] = type;
        const response = await send(url, method.toUpperCase(), `${target}?${query}`, { body, headers: sent });
        if (response.ok && method !== 'get') await restore();
        const isProblem = response.headers.get('content-type') === 'application/problem+json';
        const code = isProblem ? JSON.parse(await response.clone().text()).code : undefined;
        await expectDeclared({ document, judge }, method, path, response);
        return code;
      };

      const operationsOf = ({ paths }: Document) =>
        Object.entries(paths).flatMap(([path, operations]) =>
          Object.entries(operations).map(([method, operation]) => [method, path, operation] as const),
        );

      const contentOf = ({ requestBody }: Operation) => Object.values(requestBody?.content ?? {})[0];

      /** A request that is accepted, or refused for what is stored only. */
      const usual = (operation: Operation): { values: Values; body: unknown } => {
        const required = (operation.parameters ?? []).filter(isNeeded);
        const values = Object.fromEntries(
          required.map(({ name: parameter, example }) => [
            parameter,
            example === undefined ? password : String(example),
          ]),
        );
        const example = Object.values(contentOf(operation)?.examples ?? {})[0]?.value;
        return { values: withOneName(values, descriptionsOf(operation), email.address), body: example };
      };

      it('are not refused as malformed if a schema allows them', async () => {
        for (const described of documents) {
          const allowedValues = allowedBy(described.document, described.judge);
          for (const operation of operationsOf(described.document)) {
            const [method, path, { parameters = [] }] = operation;
            const content = contentOf(operation[2]);
            const checked = parameters.filter(({ name: parameter }) => !Object.hasOwn(narrow, parameter));
            const arbitrary = fc.record({
              values: fc.record(
                Object.fromEntries(
                  checked.map(({ name: parameter, schema, in: place }) => [
                    parameter,
                    allowedValues(schema)
                      .map(String)
                      .filter((text) => place !== 'header' || fitsHeader(text)),
                  ]),
                ),
                { requiredKeys: checked.filter(isNeeded).map(({ name: parameter }) => parameter) },
              ),
              body: content === undefined ? fc.constant(undefined) : allowedValues(content.schema),
            });
            const property = fc.asyncProperty(arbitrary, async ({ values: given, body }) => {
              const values = complete(withOneName(given, descriptionsOf(operation[2]), email.address));
              const future = Object(body).until === undefined ? body : { ...Object(body), until: Date.now() + 60_000 };
              const text = operation[2].requestBody?.description ?? '';
              const sent = body === undefined ? body : comparable(withOneName(Object(future), text, email));
              const code = await codeOf(described, operation, values, sent);
              expect(malformed, `${method} ${path} ${JSON.stringify({ values, sent })}`).to.not.include(code);
            });
            await fc.assert(property, { numRuns: 20, seed: 14, endOnFailure: true });
          }
        }
      });

      it('are refused as malformed if no schema allows them, unless the description says that they are accepted', async () => {
        for (const described of documents) {
          const { judge } = described;
          // Operations share their parameters, so one of them is enough.
          const tested = new Set<string>();
          for (const operation of operationsOf(described.document)) {
            const [method, path, { parameters = [], responses }] = operation;
            const { values, body } = usual(operation[2]);
            const label = `${method} ${path}`;
            expect(malformed, label).to.not.include(await codeOf(described, operation, values, body));
            // Pages tell no code.
            if (responses['200']?.content?.['text/html'] !== undefined) continue;
            for (const { name: parameter, in: place, schema, description } of parameters) {
              if (tested.size === tested.add(`${parameter} ${JSON.stringify(schema)}`).size) continue;
              for (const value of odd.filter((text) => place !== 'header' || fitsHeader(text))) {
                if (judge(schema, typedBy(schema, value)).length === 0 || (place === 'path' && value === '')) continue;
                const [accepted, text] = lenient[parameter] ?? [];
                const given = names.includes(parameter) ? withoutNames(values) : values;
                const code = await codeOf(described, operation, { ...given, [parameter]: value }, body);
                if (accepted?.test(value)) expect(description, label).to.include(text);
                else expect(code, `${label} ${parameter}: ${value}`).to.equal('invalid_parameter');
              }
            }
            const schema = contentOf(operation[2])?.schema;
            if (schema === undefined) continue;
            for (const other of changed(body)) {
              if (judge(schema, other).length === 0) continue;
              const code = await codeOf(described, operation, values, other);
              expect(malformed, `${label} ${JSON.stringify(other)}`).to.include(code);
            }
          }
        }
      });
    });
});
