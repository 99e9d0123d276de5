/** What the SDK threw. Its texts name accounts and may repeat values, so they are looked at and never told. */
interface Details {
  readonly name: string;
  readonly code: string;
  readonly status: number | undefined;
  readonly text: string;
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const textIn = (value: unknown, name: string): string => {
  const found = member(value, name);
  return typeof found === 'string' ? found : '';
};

const detailsOf = (error: unknown): Details => {
  const status = member(member(error, '$metadata'), 'httpStatusCode');
  return {
    name: textIn(error, 'name'),
    // Where several addresses of a host were tried, the first error stands for all.
    code: textIn(error, 'code'),
    status: typeof status === 'number' ? status : undefined,
    text: textIn(error, 'message'),
  };
};

/** The HTTP status of the answer behind an error; undefined when there was none. */
export const statusOf = (error: unknown): number | undefined => detailsOf(error).status;

const withoutConnection = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);
const broken = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);
const late = new Set(['TimeoutError', 'AbortError']);

/** Whether the connection failed, or there was no answer over it in time. */
export const isConnectionError = (error: unknown): boolean => {
  const { name, code, status } = detailsOf(error);
  return status === undefined && (late.has(name) || withoutConnection.has(code) || broken.has(code));
};

const certificate = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME/;
const otherTls = /^(EPROTO$|ERR_(SSL|TLS)_)/;

/** Whether the endpoint was reached, and no TLS came about with it. */
export const isTlsError = (error: unknown): boolean => {
  const { code, status } = detailsOf(error);
  return status === undefined && (certificate.test(code) || otherTls.test(code));
};

const throttling = /^(Throttling|ThrottlingException|TooManyRequestsException|RequestLimitExceeded|SlowDown)$/;

/** Whether the request was certainly not carried out, and the same one may be now. */
export const wasNotTaken = (error: unknown): boolean => {
  const { name, code, status } = detailsOf(error);
  return throttling.test(name) || status === 429 || (status === undefined && withoutConnection.has(code));
};

// AWS Signature Version 4, "Troubleshooting".
const wrongScope = /scoped to (a valid|correct) (region|service)/i;
const unknownCredentials =
  /^(InvalidClientTokenId|UnrecognizedClientException|SignatureDoesNotMatch|InvalidSignatureException|AuthFailure|MissingAuthenticationToken|IncompleteSignature)/;
const denied = /^AccessDenied(Exception)?$|^NotAuthorized$/;
// What the SDK throws when the answer is none of the service's.
const unreadable = /^(Unknown|SyntaxError|Error)?$/;

/** The permission that is missing. The service names it, except the one for the key of an encrypted secret. */
const deniedAction = (text: string, asked: string): string =>
  /\bperform: ([a-z]+:[A-Za-z]+)/.exec(text)?.[1] ?? (/\bKMS\b/.test(text) ? 'kms:Decrypt' : asked);

const answerReason = ({ name, status, text }: Details): string | undefined => {
  if (wrongScope.test(text)) return 'wrong region: the endpoint belongs to another one';
  if (unknownCredentials.test(name)) return `the credentials are refused, or belong to another region (${name})`;
  if (/^(ExpiredToken|RequestExpired)/.test(name)) return `the credentials have expired (${name})`;
  if (throttling.test(name) || status === 429) return `too many requests (${name})`;
  if (status === undefined) return undefined;
  return status >= 500 ? `the service has a problem of its own (HTTP ${status})` : undefined;
};

const connectionReason = ({ name, code }: Details): string | undefined => {
  if (certificate.test(code)) return `the certificate of the endpoint is not accepted (${code})`;
  if (otherTls.test(code)) return 'the endpoint does not speak TLS; write http:// where that is meant';
  if (withoutConnection.has(code)) return `unreachable (${code})`;
  if (late.has(name) && code !== 'ECONNRESET') return 'no answer in time';
  return broken.has(code) ? `the connection broke (${code})` : undefined;
};

/** Which service was asked, in a word for operators, and for which action: the permission that it takes. */
export interface Asked {
  readonly service: string;
  readonly action: string;
}

/** What is said of an endpoint behind which there is something else. */
export const strangerTo = (service: string): string => `the endpoint does not answer as ${service} does`;

/** Why a call failed, in words for operators that hold no value. */
export const reasonOf = (error: unknown, { service, action }: Asked): string => {
  const details = detailsOf(error);
  if (details.name === 'CredentialsProviderError') return 'no credentials are found';
  if (denied.test(details.name))
    return `access denied: the credentials do not permit ${deniedAction(details.text, action)}`;
  const known = details.status === undefined ? connectionReason(details) : answerReason(details);
  if (known !== undefined) return known;
  const { name, code, status } = details;
  if (status === undefined) return `${strangerTo(service)} (${code || name || 'an unknown error'})`;
  if (status < 400 || unreadable.test(name)) return `${strangerTo(service)} (HTTP ${status})`;
  return `refused (${name}, HTTP ${status})`;
};
