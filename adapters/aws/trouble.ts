/** What the SDK threw, as far as it may be told: its texts name accounts and may repeat values, so they stay out. */
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

const withoutConnection = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);
const broken = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET']);
const late = new Set(['TimeoutError', 'AbortError']);

/** Whether the connection failed, or there was no answer over it in time. */
export const isConnectionError = (error: unknown): boolean => {
  const { name, code, status } = detailsOf(error);
  return status === undefined && (late.has(name) || withoutConnection.has(code) || broken.has(code));
};

const throttling = /^(Throttling|ThrottlingException|TooManyRequestsException|RequestLimitExceeded|SlowDown)$/;

/** Whether the request was certainly not carried out, and the same one may be now. */
export const wasNotTaken = (error: unknown): boolean => {
  const { name, code, status } = detailsOf(error);
  return throttling.test(name) || status === 429 || (status === undefined && withoutConnection.has(code));
};

/** Whether the service knows the credentials and refuses them this one action. */
export const isAccessDenied = (error: unknown): boolean =>
  /^AccessDenied(Exception)?$|^NotAuthorized$/.test(detailsOf(error).name);

// AWS Signature Version 4, "Troubleshooting".
const wrongScope = /scoped to (a valid|correct) (region|service)/i;
const unknownCredentials =
  /^(InvalidClientTokenId|UnrecognizedClientException|SignatureDoesNotMatch|InvalidSignatureException|AuthFailure|MissingAuthenticationToken|IncompleteSignature)/;
const certificate = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME/;
// What the SDK throws when the answer is none of the service's.
const unreadable = /^(Unknown|SyntaxError|Error)?$/;

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
  if (code === 'EPROTO') return 'the endpoint does not speak TLS; write http:// where that is meant';
  if (withoutConnection.has(code)) return `unreachable (${code})`;
  if (late.has(name) && code !== 'ECONNRESET') return 'no answer in time';
  return broken.has(code) ? `the connection broke (${code})` : undefined;
};

/** Why a call failed, in words for operators that hold no value. A denied `action` is named. */
export const reasonOf = (error: unknown, action: string): string => {
  const details = detailsOf(error);
  if (details.name === 'CredentialsProviderError') return 'no credentials are found';
  if (isAccessDenied(error)) return `access denied: the credentials do not permit ${action}`;
  const known = details.status === undefined ? connectionReason(details) : answerReason(details);
  if (known !== undefined) return known;
  if (details.status === undefined || details.status === 200 || unreadable.test(details.name))
    return `the endpoint does not answer as the service does (${details.code || details.name || 'an unknown error'})`;
  return `refused (${details.name}, HTTP ${details.status})`;
};
