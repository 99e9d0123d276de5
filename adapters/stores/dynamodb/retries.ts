import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

type Retries = Extract<
  NonNullable<DynamoDBClientConfig['retryStrategy']>,
  { readonly acquireInitialRetryToken: unknown }
>;

/** Base of the pause before another attempt, in milliseconds: the SDK's own figures. */
const base = { THROTTLING: 1_000, TRANSIENT: 50 } as const;

/** What the client keeps of a request between its attempts. */
class Token {
  constructor(
    private readonly retries: number,
    private readonly delay: number,
    /** When the request began, by the clock of the strategy. */
    readonly begun: number,
  ) {}

  getRetryCount(): number {
    return this.retries;
  }

  getRetryDelay(): number {
    return this.delay;
  }
}

/**
 * How often the client sends one request: up to `maxAttempts` times while there is no answer or one that passes, with a
 * random pause in between that doubles at most. After `patience` milliseconds nobody waits for it any more, and nothing
 * is sent again.
 *
 * The SDK's own strategy shares an allowance between all requests, which is enough for 35 retries and grows back with
 * successes, a refused condition being none: when many connections break at once, and for a while after an outage, it
 * tries nothing again, and the reply of a write that was lost then is an outage for its caller. What bounds the load
 * here is the number of attempts, of connections, and the deadline of each call.
 */
export const retriesUpTo = (maxAttempts: number, patience: number, now = () => performance.now()): Retries => ({
  acquireInitialRetryToken: async () => new Token(0, 0, now()),
  refreshRetryTokenForRetry: async (token, { errorType }) => {
    const retries = token.getRetryCount() + 1;
    const begun = token instanceof Token ? token.begun : now();
    const isOver = retries >= maxAttempts || now() - begun >= patience;
    if (isOver || (errorType !== 'THROTTLING' && errorType !== 'TRANSIENT'))
      // The client throws what made it ask, not this.
      throw new Error('no further attempt');
    return new Token(retries, Math.random() * base[errorType] * 2 ** (retries - 1), begun);
  },
  recordSuccess: () => undefined,
});
