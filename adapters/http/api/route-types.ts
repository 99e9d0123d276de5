import type { Either } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import type { FailureCode, FieldError } from '../../../domain/failure.ts';
import type { JsonObject } from '../../kit/exact-json.ts';
import type { Client } from '../authentication/authenticator.ts';
import type { Permission } from '../authentication/permissions.ts';
import type { HtmlPage } from '../pages/link-pages.ts';
import type { BodyReader } from '../server/body-reader.ts';
import type { Reply } from '../server/response.ts';
import type { CommonCode, ProblemCode } from './problems.ts';
import type { RequestRefusal } from './refusal.ts';

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 uses it. */
export type Schema = { readonly [keyword: string]: unknown };

/** The parameters of a query in their order. */
export type Query = readonly (readonly [name: string, value: string])[];

/** An error of another parameter than the one that is read. */
export interface NamedError {
  readonly name: string;
  readonly message: string;
}

/** An input besides the body as it is described. */
export interface ParameterDescription {
  readonly name: string;
  /** The OpenAPI document leaves out inputs of the connection. */
  readonly in: 'query' | 'header' | 'path' | 'connection';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example: string;
}

/** An input besides the body: how it is read and described. */
export interface Parameter<A> extends ParameterDescription {
  /** Whether every request has a valid value, so that no error is documented. */
  readonly neverFails?: true;
  /** Whether its value is the key of the user that the request is about, for the audit. */
  readonly namesUser?: true;
  /** The parameters that the OpenAPI document has in its place, where the value may come from one of several. */
  readonly alternatives?: readonly ParameterDescription[];
  /** Left: the error, as a phrase that follows the name. `query` is empty unless a parameter of the route is in it. */
  read(request: KoaRequest, query: Query): Either<string | NamedError, A>;
}

/** The media types of a request body, and how it is read. */
export interface BodyFormat {
  /** The types in the OpenAPI document. */
  readonly mediaTypes: readonly string[];
  /** Decides about a Content-Type header. */
  accepts(contentType: string): boolean;
  /** Reads the bytes of a body of this format. */
  readonly readBytes: BodyReader;
  /** Left: why the text does not hold one object. */
  parse(text: string): Either<string, JsonObject>;
  /** The headers of a refusal of another type. */
  readonly refusalHeaders?: Readonly<Record<string, string>>;
}

/** The description of a request body. */
export interface BodyDescription {
  readonly description: string;
  readonly schema: Schema;
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

/** How a request body is read and decoded. */
export interface BodyDecoder<B> {
  /** A JSON object without it. */
  readonly format?: BodyFormat;
  /** The member that holds the address of the user, for the audit; `email` without it. */
  readonly userMember?: string;
  /** Whether it names the user as a query does. */
  readonly namesUser?: boolean;
  decode(body: JsonObject): Either<readonly FieldError[], B>;
}

/** A request body that the OpenAPI document describes. */
export interface Body<B> extends BodyDecoder<B>, BodyDescription {}

/** The description of a response. */
export interface ResponseDescription {
  readonly description: string;
  readonly content?: { readonly type: string; readonly schema: Schema; readonly example?: unknown };
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the response may be an HTML page instead. */
  readonly page?: boolean;
}

/** A group of operations in the OpenAPI document, which are listed together. */
export interface Tag {
  readonly name: string;
  readonly description: string;
  /** The description where users have ids; the same if undefined. */
  readonly withIds?: string;
}

/** What the OpenAPI document says about a route, besides its inputs and refusals. */
export interface OperationDescription {
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  readonly responses: Readonly<Record<number, ResponseDescription>>;
}

/** Marks a route that only pages of the service lead to: the OpenAPI document, which is for programs, omits it. */
export interface Undocumented {
  readonly document: null;
}

/** The part of a route that does not depend on its inputs and results. */
export interface RouteBase {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  /** The name of the operation in the OpenAPI document and in the audit. */
  readonly operation: string;
  /** What a client needs: a permission, any accepted key or token, or nothing, so that everybody may call the route. */
  readonly requires: Permission | 'key' | 'nothing';
  /** Texts of refusals instead of the general ones of their codes, which would mislead here. */
  readonly details?: Readonly<Partial<Record<ProblemCode, string>>>;
  /** The failures of the use case with any configuration. The codes of the request and of Faults follow from the other members. */
  readonly refusals: readonly FailureCode[];
  /** The refusals that the configuration rules out on this route, but not on others. */
  readonly ruledOut?: readonly FailureCode[];
  /** Whether the use case calls the store; by default, if it can refuse. */
  readonly callsStore?: boolean;
  /** Whether the use case may send a mail while the caller waits. */
  readonly sendsMail?: boolean;
  /** Whether the use case may wait for a queue that can be full, such as that of password hashes; by default, if it can refuse a password. */
  readonly mayOverload?: boolean;
  /** The HTML page of a refusal; undefined if this request gets a problem document. */
  readonly refusalPage?: (
    request: KoaRequest,
    status: number,
    code: ProblemCode,
    permission?: Permission,
  ) => HtmlPage | undefined;
}

export type ParameterMap = Readonly<Record<string, Parameter<unknown>>>;

/** The decoded parameters of a route. */
export type ParameterValues<P extends ParameterMap> = {
  readonly [K in keyof P]: NonNullable<P[K]> extends Parameter<infer A> ? A : never;
};

type Outcome<Code extends FailureCode, Result> = Either<RequestRefusal<Code | CommonCode>, Result>;

/**
 * A route: `handle` calls a use case, which may refuse with one of `Code`; `present` turns its result into a reply. The
 * listed refusals are exactly the codes of `handle`: a missing code is a type error of `handle`, an unused one is a
 * type error of `refusals`. All other codes are derived (`codesOf`).
 */
export interface RouteDefinition<P extends ParameterMap, B, Result, Code extends Listed, Listed extends FailureCode>
  extends RouteBase {
  /** Decoded in this order, after the body. */
  readonly parameters: P;
  readonly refusals: readonly (Listed & NoInfer<Code>)[];
  /** `startedMs` is when the operation timeout of the request started, by the clock of `performance.now()`. */
  handle(
    values: ParameterValues<P>,
    body: B,
    startedMs: number,
  ): Promise<Outcome<Code, Result>> | Outcome<Code, Result>;
  /** `client` is undefined where the route requires nothing. */
  present(result: Result, values: ParameterValues<P>, client: Client | undefined): Reply;
}

/** A route without its type parameters, so that all routes fit into one list. */
export interface Route extends RouteBase {
  readonly parameters: readonly Parameter<unknown>[];
  readonly body: BodyDecoder<unknown> | undefined;
  /** Null for an `Undocumented` route. */
  readonly document: (OperationDescription & { readonly body: BodyDescription | undefined }) | null;
  /** Decodes the body (undefined if the route takes none) and the parameters, dispatches and presents. */
  run(
    request: KoaRequest,
    body: JsonObject | undefined,
    startedMs: number,
  ): Promise<Either<RequestRefusal, Reply>> | Either<RequestRefusal, Reply>;
}
