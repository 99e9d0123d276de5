import { withTimeout } from '../../application/interceptor.ts';
import { required } from '../kit/option-block.ts';
import { type Codec, refine, text, webAddress } from '../kit/option-codecs.ts';

/** The name of a region, such as eu-central-1. */
export const region: Codec<string> = refine(
  text,
  (name) => /^[a-z0-9-]+$/.test(name),
  'is not a region; write one such as eu-central-1',
);

/** The location of an AWS service. */
export interface AwsEndpoint {
  readonly endpoint: string;
  readonly region: string;
}

/** The options for the location of a service; `description` names the service (specification, section 1). */
export const endpointOptions = (description: string) => ({
  endpoint: required(webAddress, `Endpoint used to access ${description}.`),
  region: required(region, `Region of ${description}.`),
});

const connectionTimeoutMs = 1000;
const requestTimeoutMs = 3000;

/**
 * The options of an SDK client: no retries, which are up to the adapters, and a timeout of 1 s to connect and 3 s for the
 * response. The SDK finds credentials at the first call (default credential provider chain).
 */
export const clientOptions = ({ endpoint, region }: AwsEndpoint) => ({
  endpoint,
  region,
  maxAttempts: 1,
  requestHandler: {
    connectionTimeout: connectionTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // The request timeout only logs a warning otherwise.
    throwOnRequestTimeout: true,
    // Applies to a response that stalls.
    socketTimeout: requestTimeoutMs,
  },
});

/**
 * The result of `call`, or a rejection with an AbortError after `timeoutMs`. The signal alone is not enough, because it
 * does not abort the search for credentials.
 */
export const withAbortTimeout = async <Result>(
  timeoutMs: number,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const controller = new AbortController();
  return withTimeout(timeoutMs, call(controller.signal), () => {
    controller.abort();
    return controller.signal.reason;
  });
};
