import { expect } from 'chai';
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import type { Request } from 'koa';
import { usersTag } from '../../../../../adapters/http/api/accounts/user-schema.ts';
import { email } from '../../../../../adapters/http/api/parameters.ts';
import { refusal } from '../../../../../adapters/http/api/refusal.ts';
import { defineRoute, defineRouteWithBody } from '../../../../../adapters/http/api/route.ts';
import { absentCodes, codesOf } from '../../../../../adapters/http/openapi/documented-refusals.ts';
import { json } from '../../../../../adapters/http/server/response.ts';
import { readJsonObject } from '../../../../../adapters/kit/exact-json.ts';
import { type Failure, failure } from '../../../../../domain/failure.ts';
import { leftOf, rightOf } from '../../../../../sdk/contract/outcomes.ts';

type Outcome = Promise<Either<Failure<'user_not_found' | 'contended'>, { readonly name: string }>>;

const description = {
  method: 'get',
  path: '/names',
  operation: 'getName',
  summary: 'A name',
  description: 'A name.',
  tag: usersTag,
  requires: 'read',
  responses: {},
} as const;
const useCase = async (name: string): Outcome =>
  name === 'unknown' ? left(failure('user_not_found')) : right({ name });
const present = json(({ name }: { readonly name: string }) => JSON.stringify({ name }));

/** A request as far as routes read it; a member that is not given throws. */
const request = (members: Partial<Request>): Request =>
  new Proxy({} as Request, {
    get: (_, name) => {
      if (name === 'ctx') return { state: {} };
      if (!(name in members)) throw new Error(`read ${String(name)}`);
      return members[name as keyof Request];
    },
  });

describe('a route', () => {
  it('lists every failure of its use case: otherwise it does not compile', () => {
    defineRoute({
      ...description,
      parameters: {},
      refusals: ['user_not_found', 'contended'],
      handle: () => useCase('Jane'),
      present,
    });
    defineRoute({
      ...description,
      parameters: {},
      refusals: ['user_not_found'],
      // @ts-expect-error `contended` is missing in the list
      handle: () => useCase('Jane'),
      present,
    });
    defineRoute({
      ...description,
      parameters: {},
      // @ts-expect-error the use case never returns `wrong_password`
      refusals: ['user_not_found', 'contended', 'wrong_password'],
      handle: () => useCase('Jane'),
      present,
    });
    defineRoute({
      ...description,
      parameters: {},
      refusals: ['user_not_found', 'contended'],
      // @ts-expect-error the route itself refuses with `invalid_json`
      handle: async () => (description.requires !== 'nothing' ? useCase('Jane') : left(refusal('invalid_json'))),
      present,
    });
  });

  it('is described in the OpenAPI document, or says that it is not: otherwise it does not compile', () => {
    const { method, path, operation, requires, ...described } = description;
    const undescribed = { method, path, operation, requires, parameters: {}, present } as const;
    const rest = { refusals: ['user_not_found', 'contended'], handle: () => useCase('Jane') } as const;
    expect(defineRoute({ ...undescribed, ...rest, ...described }).document).to.include({ summary: 'A name' });
    expect(defineRoute({ ...undescribed, ...rest, document: null }).document).to.equal(null);
    // @ts-expect-error neither described nor omitted
    defineRoute({ ...undescribed, ...rest });
  });

  it('documents its refusals, those before it, and those of the store that it calls', () => {
    const handle = () => useCase('Jane');
    const calling = defineRoute({
      ...description,
      parameters: {},
      refusals: ['user_not_found', 'contended'],
      handle,
      present,
    });
    const codes = ['user_not_found', 'contended', 'store_unavailable', 'keys_unavailable'];
    expect(codesOf(calling, () => ['keys_unavailable'], absentCodes({}))).to.include.members(codes);
    const idle = defineRoute({
      ...description,
      parameters: {},
      refusals: [],
      handle: () => right({ name: '' }),
      present,
    });
    expect(codesOf(idle, () => [], absentCodes({}))).to.not.include.any.members(codes);
  });

  it('presents the result of its use case once, and passes on its failure', async () => {
    const route = defineRoute({
      ...description,
      parameters: { email },
      refusals: ['user_not_found', 'contended'],
      handle: ({ email }) => useCase(email.startsWith('jane') ? 'Jane' : 'unknown'),
      present,
    });
    expect(rightOf(await route.run(request({ querystring: 'email=jane%40example.com' }), undefined, 0))).to.deep.equal({
      status: 200,
      headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
      body: '{"name":"Jane"}',
    });
    expect(leftOf(await route.run(request({ querystring: 'email=joe%40example.com' }), undefined, 0))).to.deep.equal({
      code: 'user_not_found',
    });
    expect(leftOf(await route.run(request({ querystring: '' }), undefined, 0))).to.deep.equal({
      code: 'invalid_parameter',
      errors: [{ path: 'query.email', message: 'is required' }],
    });
  });

  it('parses no query without a parameter in it', async () => {
    const route = defineRoute({
      ...description,
      parameters: {},
      refusals: ['user_not_found', 'contended'],
      handle: () => useCase('Jane'),
      present,
    });
    rightOf(await route.run(request({}), undefined, 0));
  });

  it('decodes its body before its parameters', async () => {
    const route = defineRouteWithBody({
      ...description,
      parameters: { email },
      body: {
        description: 'A name',
        schema: {},
        examples: {},
        decode: ({ values: { name } }) =>
          typeof name === 'string' ? right(name) : left([{ path: 'name', message: 'is required' }]),
      },
      refusals: ['user_not_found', 'contended'],
      handle: (_, name) => useCase(name),
      present,
    });
    const run = (text: string) => route.run(request({ querystring: 'email=' }), rightOf(readJsonObject(text)), 0);
    expect(leftOf(await run('{}'))).to.deep.equal({
      code: 'invalid_body',
      errors: [{ path: 'name', message: 'is required' }],
    });
    expect(leftOf(await run('{"name":"Jane"}')).code).to.equal('invalid_parameter');
    expect(leftOf(await route.run(request({}), undefined, 0)).code).to.equal('invalid_body');
  });
});
