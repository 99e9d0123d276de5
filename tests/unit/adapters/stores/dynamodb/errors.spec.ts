import { expect } from 'chai';
import { toFault } from '../../../../../adapters/stores/dynamodb/errors.ts';

/** An error as the SDK throws it. */
const named = (name: string, status?: number): Error =>
  Object.assign(new Error('a text that may hold a value'), {
    name,
    ...(status !== undefined && { $metadata: { httpStatusCode: status } }),
  });

/** An error as the network throws it: its name is Error. */
const coded = (code: string): Error => Object.assign(new Error('a text that may hold a value'), { code });

const unavailable: Readonly<Record<string, Error>> = {
  ...Object.fromEntries(
    [
      'ProvisionedThroughputExceededException',
      'ThrottlingException',
      'RequestLimitExceeded',
      'TransactionConflictException',
    ].map((name) => [name, named(name, 400)]),
  ),
  ...Object.fromEntries(
    ['InternalServerError', 'ServiceUnavailable', 'TimeoutError', 'AbortError', 'CredentialsProviderError'].map(
      (name) => [name, named(name)],
    ),
  ),
  'HTTP 500 of any name': named('Unheard', 500),
  'HTTP 503 of any name': named('Unheard', 503),
  'HTTP 429 of any name': named('Unheard', 429),
  ...Object.fromEntries(
    ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'].map(
      (code) => [code, coded(code)],
    ),
  ),
};

const rejected = [
  'ValidationException',
  'SerializationException',
  'AccessDeniedException',
  'UnrecognizedClientException',
  'ExpiredTokenException',
  'ResourceNotFoundException',
  'ItemCollectionSizeLimitExceededException',
  'IdempotentParameterMismatchException',
];

describe('the error table of DynamoDB', () => {
  for (const [name, error] of Object.entries(unavailable)) {
    it(`${name} is unavailable`, () => {
      const fault = toFault('the table', error);
      expect(fault.code).to.equal('store_unavailable');
      expect(fault.message).not.to.include('may hold');
      expect(fault.cause, 'what authors debug with').to.equal(error);
    });
  }
  for (const name of rejected) {
    it(`${name} is a rejection`, () => {
      const fault = toFault('the table', named(name, 400));
      expect(fault.code).to.equal('store_rejected');
      expect(fault.message).not.to.include('may hold');
    });
  }
});
