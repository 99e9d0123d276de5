import { withTimeout as settled } from '../../application/interceptor.ts';
import { webAddress } from '../kit/addresses.ts';
import { required } from '../kit/option-block.ts';
import { type Codec, refine, text } from '../kit/option-codecs.ts';

/** The name of a region, such as eu-central-1. */
export const region: Codec<string> = refine(
  text,
  (name) => /^[a-z0-9-]+$/.test(name),
  'is no region; write one such as eu-central-1',
);

/** Where a service of AWS is reached. */
export interface Service {
  readonly endpoint: string;
  readonly region: string;
}

/** The options that place a service; `what` names it (specification, section 1). */
export const placeOptions = (what: string) => ({
  endpoint: required(webAddress, `Endpoint used to access ${what}.`),
  region: required(region, `Region of ${what}.`),
});

const connectionTimeout = 1000;
const requestTimeout = 3000;

/**
 * What a client of the SDK is made with: one attempt per call, unless an adapter leaves repeating to the client, and
 * an attempt that ends by itself, in 1 s without a connection and in 3 s without an answer. Credentials come from
 * the SDK's own chain, with the first call.
 */
export const clientOptions = ({ endpoint, region }: Service) => ({
  endpoint,
  region,
  maxAttempts: 1,
  requestHandler: {
    connectionTimeout,
    requestTimeout,
    // Without it the request timeout is no more than a warning.
    throwOnRequestTimeout: true,
    // For an answer that stops in its middle.
    socketTimeout: requestTimeout,
  },
});

/**
 * Resolves as `call` does, which gets the signal that ends it, and rejects with an AbortError after `patience`
 * milliseconds: the search for credentials doesn't end with the signal.
 */
export const within = async <Result>(
  patience: number,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const deadline = new AbortController();
  return settled(patience, call(deadline.signal), () => {
    deadline.abort();
    return deadline.signal.reason;
  });
};
