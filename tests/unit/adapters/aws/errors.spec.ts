import { expect } from 'chai';
import { awsErrorReason, isConnectionError, isTlsError, wasNotAccepted } from '../../../../adapters/aws/errors.ts';

const action = { service: 'SES', action: 'ses:SendEmail' };

/** An error as the client throws it. */
const thrown = (name: string, code?: string, status?: number, message = 'confidential'): Error =>
  Object.assign(new Error(message), {
    name,
    ...(code === undefined ? {} : { code }),
    $metadata: status === undefined ? {} : { httpStatusCode: status },
  });

// Each with: whether it is a connection error, whether the request was certainly not executed, and the reason.
const cases = [
  [thrown('Error', 'ECONNREFUSED'), true, true, 'unreachable (ECONNREFUSED)'],
  [thrown('AggregateError', 'ECONNREFUSED'), true, true, 'unreachable (ECONNREFUSED)'],
  [thrown('Error', 'EHOSTUNREACH'), true, true, 'unreachable (EHOSTUNREACH)'],
  [thrown('Error', 'ENETUNREACH'), true, true, 'unreachable (ENETUNREACH)'],
  [thrown('Error', 'ENOTFOUND'), true, true, 'unreachable (ENOTFOUND)'],
  [thrown('Error', 'EAI_AGAIN'), true, true, 'unreachable (EAI_AGAIN)'],
  [thrown('TimeoutError', 'ECONNRESET'), true, false, 'the connection broke (ECONNRESET)'],
  [thrown('Error', 'ECONNRESET', 200), true, false, 'the connection broke (ECONNRESET)'],
  [thrown('Error', 'EPIPE'), true, false, 'the connection broke (EPIPE)'],
  [thrown('Error', 'ETIMEDOUT'), true, false, 'the connection broke (ETIMEDOUT)'],
  [thrown('TimeoutError', 'ETIMEDOUT'), true, false, 'no response in time'],
  [thrown('TimeoutError'), true, false, 'no response in time'],
  [thrown('AbortError'), true, false, 'no response in time'],
  [thrown('Error', 'EPROTO'), false, false, 'the endpoint does not speak TLS; write http:// if that is intended'],
  [
    thrown('Error', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
    false,
    false,
    'the certificate of the endpoint is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)',
  ],
  [thrown('CredentialsProviderError'), false, false, 'no credentials are found'],
  [thrown('ThrottlingException', undefined, 400), false, true, 'too many requests (ThrottlingException)'],
  [thrown('Strange', undefined, 429), false, true, 'too many requests (Strange)'],
  [thrown('Strange', undefined, 503), false, false, 'internal error of the service (HTTP 503)'],
  [thrown('Strange', undefined, 400), false, false, 'refused (Strange, HTTP 400)'],
  [thrown('SyntaxError', undefined, 404), false, false, 'the endpoint does not answer as SES does (HTTP 404)'],
  [thrown('Unknown', undefined, 302), false, false, 'the endpoint does not answer as SES does (HTTP 302)'],
  [new Error('confidential'), false, false, 'the endpoint does not answer as SES does (Error)'],
  ['confidential', false, false, 'the endpoint does not answer as SES does (an unknown error)'],
] as const;

describe('an error of the AWS SDK', () => {
  for (const [error, connection, notAccepted, reason] of cases) {
    it(`is reported as: ${reason}`, () => {
      expect(isConnectionError(error)).to.equal(connection);
      expect(wasNotAccepted(error)).to.equal(notAccepted);
      expect(awsErrorReason(error, action)).to.equal(reason);
    });
  }

  it('is a TLS error only without a response', () => {
    for (const code of ['EPROTO', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])
      expect(isTlsError(thrown('Error', code)), code).to.equal(true);
    expect(isTlsError(thrown('Error', 'ECONNREFUSED'))).to.equal(false);
    expect(isTlsError(thrown('EPROTO', undefined, 400))).to.equal(false);
  });

  for (const [text, permission] of [
    ['confidential', 'ses:SendEmail'],
    ['User: confidential is not authorized to perform: ses:SendRawEmail on resource: confidential', 'ses:SendRawEmail'],
    ['Access to KMS is not allowed', 'kms:Decrypt'],
  ] as const) {
    it(`names the missing permission ${permission}`, () => {
      for (const name of ['AccessDenied', 'AccessDeniedException'])
        expect(awsErrorReason(thrown(name, undefined, 403, text), action)).to.equal(
          `access denied: the credentials do not permit ${permission}`,
        );
    });
  }
});
