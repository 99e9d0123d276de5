import { withTimeout } from '../../application/interceptor.ts';
import { webAddress } from '../kit/address-codecs.ts';
import { required } from '../kit/option-block.ts';
import { type Codec, refine, text } from '../kit/option-codecs.ts';

/** The name of a region, such as eu-central-1. */
const region: Codec<string> = refine(
  text,
  (name) => /^[a-z0-9-]+$/.test(name),
  'is not a region; write one such as eu-central-1',
);

/** The location of an AWS service. */
export interface AwsEndpoint {
  readonly endpoint: string;
  readonly region: string;
}

/** The options for the location of a service; `description` names the service (docs/configuration.md, `database`). */
export const endpointOptions = (description: string) => ({
  endpoint: required(webAddress, `The URL of ${description}.`),
  region: required(region, `Its region.`),
});

const connectionTimeoutMs = 1000;
const requestTimeoutMs = 3000;

/**
 * Options of an SDK client: no retries, because each adapter decides which calls may be repeated; a timeout of 1 s for
 * the connection and 3 s for the response. The SDK looks up credentials on the first call (default credential provider
 * chain).
 */
export const clientOptions = ({ endpoint, region }: AwsEndpoint) => ({
  endpoint,
  region,
  maxAttempts: 1,
  requestHandler: {
    connectionTimeout: connectionTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // Without this, the SDK only logs a warning when the request timeout expires.
    throwOnRequestTimeout: true,
    // Limits pauses while the response arrives.
    socketTimeout: requestTimeoutMs,
  },
});

/**
 * Runs `call`; rejects with an AbortError after `timeoutMs`. The signal alone is not enough, because the SDK does not
 * abort its lookup of credentials.
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
