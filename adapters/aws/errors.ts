/** The properties of an SDK error. Its message can contain accounts and values, so it is inspected but never reported. */
interface ErrorDetails {
  readonly name: string;
  readonly code: string;
  readonly status: number | undefined;
  readonly text: string;
}

const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const textProperty = (value: unknown, name: string): string => {
  const text = property(value, name);
  return typeof text === 'string' ? text : '';
};

const brokenConnectionCodes = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

const detailsOf = (error: unknown): ErrorDetails => {
  // If several addresses of a host failed, this is the code of the first.
  const code = textProperty(error, 'code');
  const status = property(property(error, '$metadata'), 'httpStatusCode');
  return {
    name: textProperty(error, 'name'),
    code,
    // A response that breaks off has begun with a status, but is none.
    status: typeof status === 'number' && !brokenConnectionCodes.has(code) ? status : undefined,
    text: textProperty(error, 'message'),
  };
};

/** The HTTP status of the response; undefined without a complete response. */
export const statusOf = (error: unknown): number | undefined => detailsOf(error).status;

const connectCodes = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);
const timeoutNames = new Set(['TimeoutError', 'AbortError']);

/** Whether the connection failed, or the response timed out. */
export const isConnectionError = (error: unknown): boolean => {
  const { name, code, status } = detailsOf(error);
  return status === undefined && (timeoutNames.has(name) || connectCodes.has(code) || brokenConnectionCodes.has(code));
};

const certificateError = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME/;
const protocolError = /^(EPROTO$|ERR_(SSL|TLS)_)/;

/** Whether the endpoint was reached, but the TLS handshake failed. */
export const isTlsError = (error: unknown): boolean => {
  const { code, status } = detailsOf(error);
  return status === undefined && (certificateError.test(code) || protocolError.test(code));
};

const throttlingNames = /^(Throttling|ThrottlingException|TooManyRequestsException|RequestLimitExceeded|SlowDown)$/;

/** Whether the request was certainly not executed, so that it can be retried. */
export const wasNotAccepted = (error: unknown): boolean => {
  const { name, code, status } = detailsOf(error);
  return throttlingNames.test(name) || status === 429 || (status === undefined && connectCodes.has(code));
};

// AWS Signature Version 4, "Troubleshooting".
const wrongRegion = /scoped to (a valid|correct) (region|service)/i;
const unknownCredentials =
  /^(InvalidClientTokenId|UnrecognizedClientException|SignatureDoesNotMatch|InvalidSignatureException|AuthFailure|MissingAuthenticationToken|IncompleteSignature)/;
const accessDenied = /^AccessDenied(Exception)?$|^NotAuthorized$/;
// Names of the errors that the SDK throws for a response that it cannot parse.
const parseError = /^(Unknown|SyntaxError|Error)?$/;

/**
 * The missing permission. The message names it, except for the key of an encrypted secret: then it only mentions KMS.
 */
const deniedAction = (text: string, requested: string): string =>
  /\bperform: ([a-z]+:[A-Za-z]+)/.exec(text)?.[1] ?? (/\bKMS\b/.test(text) ? 'kms:Decrypt' : requested);

const responseReason = ({ name, status, text }: ErrorDetails): string | undefined => {
  if (wrongRegion.test(text)) return 'wrong region: the endpoint belongs to another one';
  if (unknownCredentials.test(name)) return `the credentials are refused, or belong to another region (${name})`;
  if (/^(ExpiredToken|RequestExpired)/.test(name)) return `the credentials have expired (${name})`;
  if (throttlingNames.test(name) || status === 429) return `too many requests (${name})`;
  if (status === undefined) return undefined;
  return status >= 500 ? `internal error of the service (HTTP ${status})` : undefined;
};

const connectionReason = ({ name, code }: ErrorDetails): string | undefined => {
  if (certificateError.test(code)) return `the certificate of the endpoint is not accepted (${code})`;
  if (protocolError.test(code)) return 'the endpoint does not speak TLS; write http:// if that is intended';
  if (connectCodes.has(code)) return `unreachable (${code})`;
  if (timeoutNames.has(name) && code !== 'ECONNRESET') return 'no response in time';
  return brokenConnectionCodes.has(code) ? `the connection broke (${code})` : undefined;
};

/** The service that was called, and the permission that the call needs. */
interface AwsAction {
  readonly service: string;
  readonly action: string;
}

/** The reason if the response cannot come from `service`, such as that of another web server. */
export const unexpectedResponse = (service: string): string => `the endpoint does not answer as ${service} does`;

/** Why a call failed, for operators. Contains no value of the request. */
export const awsErrorReason = (error: unknown, { service, action }: AwsAction): string => {
  const details = detailsOf(error);
  if (details.name === 'CredentialsProviderError') return 'no credentials are found';
  if (accessDenied.test(details.name))
    return `access denied: the credentials do not permit ${deniedAction(details.text, action)}`;
  const known = details.status === undefined ? connectionReason(details) : responseReason(details);
  if (known !== undefined) return known;
  const { name, code, status } = details;
  if (status === undefined) return `${unexpectedResponse(service)} (${code || name || 'an unknown error'})`;
  if (status < 400 || parseError.test(name)) return `${unexpectedResponse(service)} (HTTP ${status})`;
  return `refused (${name}, HTTP ${status})`;
};
