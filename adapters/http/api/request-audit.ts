import { type Either, isLeft, isRight } from 'fp-ts/lib/Either.js';
import type { Context } from 'koa';
import type { Clock } from '../../../application/ports/clock.ts';
import { EmailAddress, keyOf } from '../../../domain/email-address.ts';
import type { VersionedUser } from '../../../domain/entity-tag.ts';
import type { FailureSubject } from '../../../domain/failure.ts';
import { idIn, isUserName } from '../../../domain/user-name.ts';
import type { JsonObject } from '../../kit/exact-json.ts';
import type { Client } from '../authentication/authenticator.ts';
import type { Permission } from '../authentication/permissions.ts';
import type { Observer } from '../server/pipeline.ts';
import { requestIdOf } from '../server/request-id.ts';
import { queryOf } from './parameters.ts';
import type { ProblemCode } from './problems.ts';
import type { RequestRefusal } from './refusal.ts';
import type { Route } from './route-types.ts';

/** Request facts collected for observers. */
interface RequestState {
  /** The route that it reached. */
  route?: Route;
  /** The operation of a request that was refused before its route. */
  operation?: string;
  client?: Client;
  body?: JsonObject | undefined;
  /** The key of the user that it turned out to be about, if it does not name one. */
  user?: string;
  /** The outcome of the route. */
  outcome?: Either<RequestRefusal, unknown>;
  /** The user that was found. */
  about?: FailureSubject | undefined;
  /** The code of the problem document that was sent. */
  code?: ProblemCode;
  /** The permission that was missing. */
  permission?: Permission | undefined;
}

declare module 'koa' {
  interface DefaultState extends RequestState {}
}

/** A line of the audit: one request and its outcome. It never holds a password, token, hash or body. */
export interface AuditEntry {
  /** When it was answered (ISO 8601). */
  readonly time: string;
  /** The id of the request, as in the log and in problem documents. */
  readonly request: string;
  /** The operation that was requested, by its id in the OpenAPI document. */
  readonly operation: string;
  /** The application of a Basic key, or the subject of a token; null where the client did not authenticate. */
  readonly client: string | null;
  /** The position of the Basic key in its list, from 1; null where the client has none. */
  readonly key: number | null;
  /** The address of the user in lower case; null where the request names none. */
  readonly user: string | null;
  /** The id of the user; absent where it is not known. */
  readonly userId?: string;
  /** The IP address of the caller. */
  readonly address: string;
  readonly status: number;
  /** `ok`, or the code of the problem; `refused` if the response was an HTML page. */
  readonly outcome: string;
  /** The permission that the client lacks; absent unless `outcome` is `not_permitted`. */
  readonly permission?: Permission;
}

const isAboutUser = (result: unknown): result is Pick<VersionedUser, 'user'> =>
  typeof result === 'object' &&
  result !== null &&
  'user' in result &&
  typeof result.user === 'object' &&
  result.user !== null;

/** Whether a result says itself whom it was about, because the user is gone. */
const namesSubject = (result: unknown): result is { readonly about: FailureSubject | undefined } =>
  typeof result === 'object' && result !== null && 'about' in result;

/** The key by which an update found a user who has another address now. */
const formerKeyIn = (result: object): string | undefined =>
  'formerKey' in result && typeof result.formerKey === 'string' ? result.formerKey : undefined;

/** Keeps the user whom a request found, which it may have named by another key than the address. */
export const keepSubject = (state: RequestState, outcome: Either<RequestRefusal, unknown>): void => {
  if (isLeft(outcome)) state.about = outcome.left.about;
  else if (isAboutUser(outcome.right)) {
    const { id, email } = outcome.right.user;
    state.about = { key: formerKeyIn(outcome.right) ?? keyOf(email.address), id };
  } else if (namesSubject(outcome.right)) state.about = outcome.right.about;
};

/** The key of the user that the parameters of a request name. */
const userInParameters = ({ parameters }: Route, { request }: Context): string | undefined => {
  const naming = parameters.find(({ namesUser = false }) => namesUser);
  const key = naming?.read(request, queryOf(request));
  return key !== undefined && isRight(key) && typeof key.right === 'string' ? key.right : undefined;
};

/** The key of the user that a body names: with an address, or with an object that has one. */
const userInBody = ({ body }: Route, { values }: JsonObject): string | undefined => {
  const named = values[body?.userMember ?? 'email'];
  const address = typeof named === 'object' && named !== null && 'address' in named ? named.address : named;
  return EmailAddress.is(address) ? keyOf(address) : undefined;
};

/** What a request is about: the operation, and the user that it names, or that was found. */
interface Subject extends Pick<AuditEntry, 'operation'>, Partial<Pick<AuditEntry, 'userId'>> {
  readonly user?: string | undefined;
}

/** Undefined where the request is not about users. */
const subjectOf = (ctx: Context): Subject | undefined => {
  const { route, body, operation, about } = ctx.state;
  if (operation !== undefined) return { operation };
  if (route === undefined || (route.parameters.length === 0 && route.body === undefined)) return undefined;
  const named = ctx.state.user ?? userInParameters(route, ctx) ?? (body && userInBody(route, body));
  const isAddress = named !== undefined && !isUserName(named);
  const userId = about?.id ?? (named && !isAddress ? idIn(named) : undefined);
  return {
    operation: route.operation,
    user: isAddress ? named : about?.key,
    ...(userId !== undefined && { userId }),
  };
};

/** Gives `write`, which must not throw, a line for each answered request that is about users. */
export const auditTo =
  (write: (entry: AuditEntry) => void, clock: Clock): Observer =>
  (ctx) => {
    if (ctx.state.outcome !== undefined) keepSubject(ctx.state, ctx.state.outcome);
    const subject = subjectOf(ctx);
    if (subject === undefined) return;
    const { operation, user = null, userId } = subject;
    const { status, ip: address, state } = ctx;
    const { client, code, permission } = state;
    write({
      time: new Date(clock.now()).toISOString(),
      request: requestIdOf(ctx.req),
      operation,
      client: client?.name ?? null,
      key: client?.key ?? null,
      user,
      ...(userId !== undefined && { userId }),
      address,
      status,
      outcome: code ?? (status < 400 ? 'ok' : 'refused'),
      ...(permission && { permission }),
    });
  };
