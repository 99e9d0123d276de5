import { expect } from 'chai';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import {
  detailsAboutCreation,
  detailsAboutInvitations,
  detailsAboutMoves,
  detailsAboutTokens,
  type ProblemCode,
  problems,
} from '../../../adapters/http/api/problems.ts';

/** The details that a route has instead of those of the table. */
const detailsOf = (method: string, path: string): Readonly<Partial<Record<ProblemCode, string>>> => {
  if (/^\/(?:recovery|change)\b/.test(path)) return detailsAboutTokens;
  if (path === '/verify' && method === 'GET') return { too_many_attempts: detailsAboutTokens.too_many_attempts };
  if (path === '/users' && method === 'POST') return detailsAboutCreation;
  if (path.endsWith('/invite')) return detailsAboutInvitations;
  return path.startsWith('/users') && (method === 'PUT' || method === 'PATCH') ? detailsAboutMoves : {};
};

const User = t.type({
  email: t.strict({ address: t.string, verified: t.boolean, verificationToken: t.union([t.string, t.null]) }),
  password: t.string,
  creationTime: t.number,
  lastUpdateTime: t.number,
});
const ErrorOfField = t.strict({ path: t.string, message: t.string });
const Problem = t.intersection([
  t.type({ type: t.string, title: t.string, status: t.number, detail: t.string, code: t.string }),
  t.partial({ errors: t.array(ErrorOfField), requestId: t.string, sameId: t.boolean, permission: t.string }),
]);

/** A user as an endpoint returns it: the fixed fields and the custom properties. */
export interface UserJson {
  readonly email: { readonly address: string; readonly verified: boolean; readonly verificationToken: string | null };
  readonly password: string;
  readonly creationTime: number;
  readonly lastUpdateTime: number;
  readonly [property: string]: unknown;
}

/** A problem document (RFC 9457). */
export interface ProblemJson {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  readonly requestId?: string;
  readonly sameId?: boolean;
  readonly permission?: string;
}

const decoded = <A>(codec: t.Type<A, unknown, unknown>, value: unknown): A => {
  const result = codec.decode(value);
  if (isLeft(result)) throw new Error(`expected ${codec.name}, not ${JSON.stringify(value)}`);
  return result.right;
};

const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(problems, code);

/** A response of the service. */
export class ApiResponse {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {}

  get json(): unknown {
    return JSON.parse(this.text);
  }

  get user(): UserJson {
    return { ...Object(this.json), ...decoded(User, this.json) };
  }

  /** The user's custom properties. */
  get properties(): Readonly<Record<string, unknown>> {
    const { email: _, password: __, creationTime: ___, lastUpdateTime: ____, ...properties } = this.user;
    return properties;
  }

  get problem(): ProblemJson {
    return decoded(Problem, this.json);
  }

  /** The status and the code of a problem document. */
  get refusal(): string {
    return `${this.status} ${this.problem.code}`;
  }

  /** The paths of the invalid fields. */
  get paths(): readonly string[] {
    return this.problem.errors?.map(({ path }) => path) ?? [];
  }
}

const expectProblem = ({ json, status, headers }: ApiResponse, method: string, path: string): void => {
  const problem = decoded(Problem, json);
  const { code } = problem;
  if (!isProblemCode(code)) throw new Error(`${code} is not in the table of problems`);
  const { title, detail: usual, status: tabled } = problems[code];
  const { errors, requestId, sameId: _, permission: __, ...others } = problem;
  // It names every way to find a user that the service has.
  const isOfNames =
    code === 'user_not_found' && /^No user has this email address(?:, \w+)* or \w+\.$/.test(others.detail);
  const detail = isOfNames ? others.detail : (detailsOf(method, path)[code] ?? usual);
  expect(others).to.deep.equal({ type: `urn:latchkey:problem:${code}`, title, status: tabled, detail, code });
  expect(status).to.equal(tabled);
  expect(requestId, 'the id of the request').to.equal(headers.get('x-request-id') ?? undefined);
  if (errors !== undefined) expect(errors).to.not.be.empty;
};

/**
 * Checks what holds for every response: errors are problem documents or pages, 401 has a challenge, and a user an
 * entity tag.
 */
export const expectValidResponse = (response: ApiResponse, method: string, path: string): void => {
  const { status, headers, text } = response;
  // Listing and sorting users are the only features that a database may lack, and HTTP has others.
  if (!/"(?:users_not_(?:listed|sorted)|unsupported_transfer_coding)"/.test(text))
    expect(status, `an unexpected error: ${text}`).to.not.equal(501);
  if (method === 'HEAD') expect(text).to.equal('');
  if (status === 401) expect(headers.get('www-authenticate')).to.match(/^(Basic|Bearer|Password) realm="/);
  if (status === 405) expect(headers.get('allow')).to.not.equal(null);
  expect(headers.get('x-powered-by')).to.equal(null);
  const type = headers.get('content-type');
  const isUser = status < 300 && type === 'application/json' && text.startsWith('{"email":{');
  if (isUser) expect(headers.get('etag')).to.match(/^"[\x21\x23-\x7e]+"$/);
  if (status < 400) return;
  expect(type).to.be.oneOf(['application/problem+json', 'text/html; charset=utf-8']);
  expect(headers.get('cache-control')).to.equal('no-store');
  if (type === 'application/problem+json' && method !== 'HEAD') expectProblem(response, method, path);
};
