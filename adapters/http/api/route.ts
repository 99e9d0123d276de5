import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Request } from 'koa';
import type { FailureCode } from '../../../domain/failure.ts';
import type { JsonObject } from '../../kit/exact-json.ts';
import type { Reply } from '../server/response.ts';
import { type CommonCode, type Refusal, refusal } from './problems.ts';
import { queryOf } from './query.ts';
import type { Body, Parameter, RouteDescription } from './route-description.ts';

type ParameterMap = Readonly<Record<string, Parameter<unknown>>>;

/** The decoded parameters of a route. */
export type ParameterValues<P extends ParameterMap> = {
  readonly [K in keyof P]: NonNullable<P[K]> extends Parameter<infer A> ? A : never;
};

type Outcome<Code extends FailureCode, Result> = Either<Refusal<Code | CommonCode>, Result>;

/** A route: `handle` asks a use case, which may refuse with one of `Code`; `present` turns its result into a reply. */
interface RouteDefinition<P extends ParameterMap, B, Result, Code extends FailureCode, Listed extends FailureCode>
  extends RouteDescription {
  /** Decoded in this order, after the body. */
  readonly parameters: P;
  readonly refusals: readonly Listed[];
  handle(values: ParameterValues<P>, body: B): Promise<Outcome<Code, Result>> | Outcome<Code, Result>;
  present(result: Result, values: ParameterValues<P>): Reply;
}

/**
 * A definition whose refusals are exactly the codes of `handle`: a code that is missing is a type error of `handle`, and
 * one too many is a type error of `refusals`. All other codes are derived (`codesOf`).
 */
type Checked<P extends ParameterMap, B, Result, Code extends Listed, Listed extends FailureCode> = RouteDefinition<
  P,
  B,
  Result,
  Code,
  Listed & NoInfer<Code>
>;

/** A route with its types hidden. */
export interface Route extends RouteDescription {
  readonly parameters: readonly Parameter<unknown>[];
  readonly body: Body<unknown> | undefined;
  /** Decodes the body (undefined if the route takes none) and the parameters, dispatches and presents. */
  run(request: Request, body: JsonObject | undefined): Promise<Either<Refusal, Reply>>;
}

const runner = <P extends ParameterMap, B, Result>(
  route: RouteDefinition<P, B, Result, FailureCode, FailureCode>,
  decodeBody: (body: JsonObject | undefined) => Either<Refusal, B>,
): Route['run'] => {
  const readParameters = parameterReader(route.parameters);
  return async (request, sent) => {
    const body = decodeBody(sent);
    if (isLeft(body)) return body;
    const values = readParameters(request);
    if (isLeft(values)) return values;
    const outcome = await route.handle(values.right, body.right);
    return isLeft(outcome) ? outcome : right(route.present(outcome.right, values.right));
  };
};

/** Defines a route without a body. */
export const defineRoute = <P extends ParameterMap, Result, Listed extends FailureCode, Code extends Listed>(
  route: Checked<P, undefined, Result, Code, Listed>,
): Route => ({
  ...route,
  parameters: Object.values(route.parameters),
  body: undefined,
  run: runner(route, () => right(undefined)),
});

/** Defines a route with a body. */
export const defineRouteWithBody = <P extends ParameterMap, B, Result, Listed extends FailureCode, Code extends Listed>(
  route: Checked<P, B, Result, Code, Listed> & { readonly body: Body<B> },
): Route => ({
  ...route,
  parameters: Object.values(route.parameters),
  run: runner(route, (sent) => {
    if (sent === undefined) return left(refusal('invalid_body', [{ path: '', message: 'is required' }]));
    const decoded = route.body.decode(sent);
    return isLeft(decoded) ? left(refusal('invalid_body', decoded.left)) : decoded;
  }),
});

const jsonHeaders = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };

/** Presents a result as JSON, which `write` returns. */
export const json =
  <Result>(status: number, write: (result: Result) => string) =>
  (result: Result): Reply => ({ status, headers: jsonHeaders, body: write(result) });

/** Reads parameters in their order up to the first invalid one. */
const parameterReader = <P extends ParameterMap>(
  parameters: P,
): ((request: Request) => Either<Refusal, ParameterValues<P>>) => {
  const entries = Object.entries(parameters);
  const isComplete = (_: Readonly<Record<string, unknown>>, read: number): _ is ParameterValues<P> =>
    read === entries.length;
  const readsQuery = entries.some(([, parameter]) => parameter.in === 'query');
  return (request) => {
    const values: Record<string, unknown> = {};
    const query = readsQuery ? queryOf(request) : [];
    let read = 0;
    for (const [key, parameter] of entries) {
      const value = parameter.read(request, query);
      if (isLeft(value)) {
        return left(refusal('invalid_parameter', [{ path: `${parameter.in}.${parameter.name}`, message: value.left }]));
      }
      values[key] = value.right;
      read++;
    }
    return isComplete(values, read) ? right(values) : left(refusal('internal_error'));
  };
};
