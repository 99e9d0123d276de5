import { isRight } from 'fp-ts/lib/Either.js';
import type { Context } from 'koa';
import { EmailAddress, keyOf } from '../../../domain/email-address.ts';
import type { JsonObject } from '../../kit/exact-json.ts';
import type { ProblemCode } from '../api/problems.ts';
import { queryOf } from '../api/query.ts';
import type { Route } from '../api/route.ts';
import type { Client } from '../authentication/authenticator.ts';
import { requestIdOf } from './request-id.ts';

/** A line of the audit: one request, and what came of it. It holds no password, token, hash or body. */
export interface AuditEntry {
  /** When it was answered (ISO 8601). */
  readonly time: string;
  /** The id of the request, as the log and the problem documents have it. */
  readonly request: string;
  /** What was asked for, as the description of the service names it. */
  readonly operation: string;
  /** The application of a Basic key, or the subject of a token; null where nobody was proven. */
  readonly client: string | null;
  /** The address of the user without regard to case; null where none was given. */
  readonly user: string | null;
  /** From where the request came: an IP address. */
  readonly address: string;
  readonly status: number;
  /** `ok`, or the code of the problem; `refused` where a page for people told of it. */
  readonly outcome: string;
}

/** Where the lines go. Neither method throws. */
export interface AuditSink {
  write(entry: AuditEntry): void;
  /** Resolves when what was written is where it belongs, or can't get there. */
  close(): Promise<void>;
}

const notes: unique symbol = Symbol('what the audit knows of a request');

interface Notes {
  readonly operation: string;
  client: string | undefined;
  user: string | undefined;
  code: ProblemCode | undefined;
}

declare module 'node:http' {
  interface IncomingMessage {
    /** There where requests are audited only. */
    [notes]?: Notes;
  }
}

/** The user that the parameters of a request name, by the route's own reading of them. */
const userNamedIn = ({ parameters }: Route, { request }: Context): string | undefined => {
  const naming = parameters.find(({ name, in: place }) => place === 'path' || (name === 'email' && place === 'query'));
  const key = naming?.read(request, queryOf(request));
  return key !== undefined && isRight(key) && typeof key.right === 'string' ? key.right : undefined;
};

/** The user that a body names. */
const userIn = ({ values: { email } }: JsonObject): string | undefined => {
  const address = typeof email === 'object' && email !== null && 'address' in email ? email.address : undefined;
  return EmailAddress.is(address) ? keyOf(address) : undefined;
};

/** Writes a line for each request to a route that is about users, once it is answered. */
export class Audit {
  constructor(private readonly sink: AuditSink) {}

  /** A request has come to a route. */
  begin(ctx: Context, route: Route): void {
    if (route.parameters.length === 0 && route.body === undefined) return;
    const user = userNamedIn(route, ctx);
    ctx.req[notes] = { operation: route.operation, client: undefined, user, code: undefined };
  }

  /** A request asks for an operation elsewhere than at its route, or is refused before its route; its user is not known yet. */
  beginOperation({ req }: Context, operation: string): void {
    req[notes] = { operation, client: undefined, user: undefined, code: undefined };
  }

  /** It comes from this client. */
  noteClient({ req }: Context, { name }: Client): void {
    const known = req[notes];
    if (known !== undefined) known.client = name;
  }

  /** Its body was read. */
  noteBody({ req }: Context, body: JsonObject): void {
    const known = req[notes];
    if (known !== undefined) known.user ??= userIn(body);
  }

  /** It was refused. */
  noteRefusal({ req }: Context, code: ProblemCode): void {
    const known = req[notes];
    if (known !== undefined) known.code = code;
  }

  /** The page was answered; it was about this user, or about all of them. */
  endPage(ctx: Context, user: string | undefined): void {
    const known = ctx.req[notes];
    if (known !== undefined) known.user = user;
    this.observe(ctx);
  }

  /** It was answered. */
  readonly observe = (ctx: Context): void => {
    const known = ctx.req[notes];
    if (known === undefined) return;
    const { operation, client = null, user = null, code } = known;
    const time = new Date().toISOString();
    const { status, ip: address } = ctx;
    const outcome = code ?? (status < 400 ? 'ok' : 'refused');
    this.sink.write({ time, request: requestIdOf(ctx.req), operation, client, user, address, status, outcome });
  };

  close(): Promise<void> {
    return this.sink.close();
  }
}
