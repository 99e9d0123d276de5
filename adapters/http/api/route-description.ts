import type { Either } from 'fp-ts/lib/Either.js';
import type { Request } from 'koa';
import type { FailureCode, FieldError } from '../../../domain/failure.ts';
import type { JsonObject } from '../../kit/exact-json.ts';
import type { Query } from './query.ts';

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 uses it. */
export type Schema = { readonly [keyword: string]: unknown };

/** An input besides the body: how it is read and described. */
export interface Parameter<A> {
  readonly name: string;
  /** Inputs of the connection are not part of the description. */
  readonly in: 'query' | 'header' | 'path' | 'connection';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example: string;
  /** Left: the error, as a phrase that follows the name. `query` is empty unless a parameter of the route is in it. */
  read(request: Request, query: Query): Either<string, A>;
}

/** A request body, which is a JSON object: how it is decoded and described. */
export interface Body<B> {
  readonly description: string;
  readonly schema: Schema;
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
  decode(body: JsonObject): Either<readonly FieldError[], B>;
}

/** The description of a response. */
export interface ResponseDescription {
  readonly description: string;
  readonly content?: { readonly type: string; readonly schema: Schema; readonly example?: unknown };
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the response may be an HTML page instead. */
  readonly page?: boolean;
}

/** What the router and the OpenAPI document need to know of a route. */
export interface RouteDescription {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: 'Users' | 'Verification';
  /** Whether the client must authenticate. */
  readonly authenticated: boolean;
  readonly responses: Readonly<Record<number, ResponseDescription>>;
  /** The failures of the use case. The codes of the request and of Faults follow from the other members. */
  readonly refusals: readonly FailureCode[];
  /** Whether the use case sends a mail. */
  readonly sendsMail?: boolean;
  /** Whether a refusal of this request is an HTML page. */
  readonly refusesWithPage?: (request: Request) => boolean;
}
