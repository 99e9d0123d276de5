import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Request } from 'koa';
import type { FieldError } from '../../../domain/failure.ts';
import type { JsonObject } from '../../kit/exact-json.ts';
import type { Reply } from '../server/response.ts';
import { type ProblemCode, type Refusal, refusal } from './problems.ts';
import { type Query, queryOf } from './query.ts';

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 holds it. */
export type Schema = { readonly [keyword: string]: unknown };

/** A query parameter, header or part of the path: how it is read, and how it is described. */
export interface Parameter<A> {
  readonly name: string;
  /** What is told by the connection itself is not described. */
  readonly in: 'query' | 'header' | 'path' | 'connection';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example: string;
  /** Left says what is wrong with it, in words that follow its name. */
  read(request: Request, query: Query): Either<string, A>;
}

/** A request body: a JSON object, how it is decoded, and how it is described. */
export interface Body<B> {
  readonly description: string;
  readonly schema: Schema;
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
  decode(body: JsonObject): Either<readonly FieldError[], B>;
}

/** An answer as it is described; the media type is that of its body. */
export interface Answer {
  readonly description: string;
  readonly content?: { readonly type: string; readonly schema: Schema; readonly example?: unknown };
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a person gets an HTML page instead. */
  readonly page?: boolean;
}

type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** What the parameters of a route decode to. */
export type Values<P extends Parameters> = {
  readonly [K in keyof P]: NonNullable<P[K]> extends Parameter<infer A> ? A : never;
};

/** What a route declares: all that the router, the decoding and the OpenAPI document are made from. */
export interface Declaration {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: 'Users' | 'Verification';
  /** Whether the client must authenticate. */
  readonly authenticated: boolean;
  readonly answers: Readonly<Record<number, Answer>>;
  readonly refusals: readonly ProblemCode[];
  /** Whether this request's refusals are small HTML pages. */
  readonly answersPerson?: (request: Request) => boolean;
}

interface TypedDeclaration<P extends Parameters, B> extends Declaration {
  /** Read in this order, after the body. */
  readonly parameters: P;
  readonly body?: Body<B>;
  handle(values: Values<P>, body: B, request: Request): Promise<Either<Refusal, Reply>> | Either<Refusal, Reply>;
}

/** A route with its inputs decoded inside. */
export interface Route extends Declaration {
  readonly parameters: readonly Parameter<unknown>[];
  readonly body: Body<unknown> | undefined;
  /** Decodes the body (undefined where the route takes none) and the parameters, and handles them. */
  run(request: Request, body: JsonObject | undefined): Promise<Either<Refusal, Reply>> | Either<Refusal, Reply>;
}

/** Declares a route that takes no body. */
export const defineRoute = <P extends Parameters>(declaration: TypedDeclaration<P, undefined>): Route => {
  const read = reader(declaration.parameters);
  return {
    ...declaration,
    parameters: Object.values(declaration.parameters),
    body: undefined,
    run: (request) => {
      const values = read(request);
      return isLeft(values) ? values : declaration.handle(values.right, undefined, request);
    },
  };
};

/** Declares a route that takes a body; the body is decoded before the parameters. */
export const defineRouteWithBody = <P extends Parameters, B>(
  declaration: TypedDeclaration<P, B> & { readonly body: Body<B> },
): Route => {
  const read = reader(declaration.parameters);
  return {
    ...declaration,
    parameters: Object.values(declaration.parameters),
    run: (request, body) => {
      if (body === undefined) return left(refusal('invalid_body', [{ path: '', message: 'is required' }]));
      const decoded = declaration.body.decode(body);
      if (isLeft(decoded)) return left(refusal('invalid_body', decoded.left));
      const values = read(request);
      return isLeft(values) ? values : declaration.handle(values.right, decoded.right, request);
    },
  };
};

/** A route whose description does not speak of a refusal that is never given. */
export const withoutRefusal =
  (code: ProblemCode) =>
  (route: Route): Route => ({ ...route, refusals: route.refusals.filter((refusal) => refusal !== code) });

/** A route whose description speaks of one more refusal, if clients authenticate on it. */
export const withRefusalOfClients =
  (code: ProblemCode) =>
  (route: Route): Route =>
    route.authenticated ? { ...route, refusals: [...route.refusals, code] } : route;

/** Reads parameters in their order; the first one that is wrong ends it. */
const reader = <P extends Parameters>(parameters: P): ((request: Request) => Either<Refusal, Values<P>>) => {
  const entries = Object.entries(parameters);
  const isComplete = (_: Readonly<Record<string, unknown>>, read: number): _ is Values<P> => read === entries.length;
  return (request) => {
    const values: Record<string, unknown> = {};
    const query = queryOf(request);
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
