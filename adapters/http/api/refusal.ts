import type { Context } from 'koa';
import { Fault } from '../../../application/fault.ts';
import type { FailureSubject, FieldError } from '../../../domain/failure.ts';
import type { Permission } from '../authentication/permissions.ts';
import { errorPage, pageNotFound, prefersPage } from '../pages/error-page.ts';
import { pageHeaders } from '../pages/html.ts';
import type { PageText } from '../pages/page-texts.ts';
import type { ProtocolReply } from '../server/protocol-errors.ts';
import { requestIdOf } from '../server/request-id.ts';
import { send } from '../server/response.ts';
import { type ProblemCode, problems } from './problems.ts';

/** Why a request is refused. Failures of use cases and Faults fit as they are. */
export interface RequestRefusal<Code extends ProblemCode = ProblemCode> {
  readonly code: Code;
  readonly errors?: readonly FieldError[];
  readonly sameId?: boolean;
  /** Of `not_permitted`: the permission that the key or token lacks. */
  readonly permission?: Permission;
  /** For the audit. */
  readonly about?: FailureSubject;
  readonly retryAfterSeconds?: number | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export const refusal = <Code extends ProblemCode>(code: Code, errors?: readonly FieldError[]): RequestRefusal<Code> =>
  errors === undefined ? { code } : { code, errors };

/** That the key or token of a client lacks a permission. */
export const notPermitted = (permission: Permission): RequestRefusal<'not_permitted'> => ({
  code: 'not_permitted',
  permission,
});

/** Maps a thrown error to its refusal: a Fault to its own code, anything else to `internal_error`. */
export const refusalOfError = (error: unknown): RequestRefusal => {
  if (!(error instanceof Fault)) return refusal('internal_error');
  const { code, retryAfterSeconds } = error;
  return { code, retryAfterSeconds };
};

/** The headers that belong to a refusal, besides those of every problem document. */
export const refusalHeaders = ({
  code,
  retryAfterSeconds,
  headers,
}: RequestRefusal): Readonly<Record<string, string>> => ({
  ...problems[code].headers,
  ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
  ...headers,
});

/** Limits of the errors in a problem document, because they repeat paths of the request. */
const maxErrors = 50;
const maxPathLength = 200;

const limited = (errors: readonly FieldError[]): readonly FieldError[] =>
  errors.slice(0, maxErrors).map(({ path, message }) => ({ path: path.slice(0, maxPathLength), message }));

/** The problem document of a refusal (RFC 9457). */
export const problemDocument = (
  { code, errors: all, sameId, permission }: RequestRefusal,
  requestId?: string,
  detail = problems[code].detail,
): string => {
  const { status, title } = problems[code];
  const errors = all && limited(all);
  const type = `urn:latchkey:problem:${code}`;
  return JSON.stringify({ type, title, status, detail, code, requestId, errors, sameId, permission });
};

/** How requests are answered that HTTP itself forbids, and which have no id. */
export const protocolReply: ProtocolReply = (error) => ({
  status: problems[error].status,
  headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
  body: problemDocument(refusal(error)),
});

/** The texts of the page for a browser. Where there is a product, people come from it, and not only its developers. */
const textFor = (ctx: Context, code: ProblemCode, detail: string): PageText =>
  code === 'route_not_found' && ctx.errorPages.product
    ? pageNotFound
    : { title: problems[code].title, sentence: detail };

/** Answers with a problem document, or with an HTML page if a person followed a link or uses a browser. */
export const refuse = (ctx: Context, refused: RequestRefusal): void => {
  const { state } = ctx;
  state.code = refused.code;
  state.permission = refused.permission;
  const { status, detail: usual } = problems[refused.code];
  const detail = state.route?.details?.[refused.code] ?? usual;
  const requestId = requestIdOf(ctx.req);
  const page =
    state.route?.refusalPage?.(ctx.request, status, refused.code, refused.permission) ??
    (prefersPage(ctx.request) ? errorPage(textFor(ctx, refused.code, detail), requestId, ctx.errorPages) : undefined);
  const content = page === undefined ? { 'Content-Type': 'application/problem+json' } : pageHeaders(page.policy);
  const headers = { ...content, 'Cache-Control': 'no-store', 'X-Request-Id': requestId, ...refusalHeaders(refused) };
  const body = page?.html ?? problemDocument(refused, requestId, detail);
  send(ctx, { status, headers, body });
};
