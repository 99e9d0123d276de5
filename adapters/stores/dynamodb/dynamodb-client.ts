import { DynamoDBClient, type DynamoDBClientConfig, type ServiceOutputTypes } from '@aws-sdk/client-dynamodb';
import { Fault } from '../../../application/fault.ts';
import type { Log } from '../../../application/ports/log.ts';
import { type AwsEndpoint, clientOptions } from '../../aws/aws-client.ts';
import { statusOf, wasNotAccepted } from '../../aws/errors.ts';
import { WorkQueue } from '../../concurrency/work-queue.ts';

type RetryStrategy = Extract<
  NonNullable<DynamoDBClientConfig['retryStrategy']>,
  { readonly acquireInitialRetryToken: unknown }
>;

const maxAttempts = 3;

/** How many calls run at once, each on a connection of its own. */
export const maxConcurrentCalls = 48;
/** Health checks do not wait for other calls. */
const maxSockets = maxConcurrentCalls + 8;

/** How long a call waits for its connection. */
const maxWaitMs = 3_000;

/**
 * A queue for calls. The client alone would start all of them: its connection timeout includes the wait for a
 * connection, and the work on all replies that arrive together would delay every timer.
 */
export const callQueue = (concurrency = maxConcurrentCalls): WorkQueue =>
  new WorkQueue(
    { concurrency, maxWaiting: Number.POSITIVE_INFINITY, maxWaitMs },
    () => new Fault('store_unavailable', 'DynamoDB: every connection is in use; is the database slow?'),
  );

/** The base of the delay before another attempt, in milliseconds, as in the SDK. */
const baseDelayMs = { THROTTLING: 1_000, TRANSIENT: 50 } as const;

/** The state of a request between its attempts. */
class RetryToken {
  constructor(
    private readonly retries: number,
    private readonly delayMs: number,
    /** The start of the request, by the clock `now` of the strategy. */
    readonly startedMs: number,
  ) {}

  getRetryCount(): number {
    return this.retries;
  }

  getRetryDelay(): number {
    return this.delayMs;
  }
}

/**
 * Sends a request up to `attempts` times after temporary errors, but not after `timeoutMs`, when its caller has timed
 * out. The delay is random, and its maximum doubles with each attempt.
 *
 * The SDK's own strategy shares a budget of 35 retries between all requests. The budget grows with successes, and a
 * failed condition is not a success. When many connections break at once, and for a while after an outage, it would
 * retry nothing, and a lost reply of a write would be an outage for its caller. Here the number of attempts, the number
 * of connections and the timeout of each call limit the load.
 */
export const retryStrategy = (attempts: number, timeoutMs: number, now = () => performance.now()): RetryStrategy => ({
  acquireInitialRetryToken: async () => new RetryToken(0, 0, now()),
  refreshRetryTokenForRetry: async (token, { errorType }) => {
    const retries = token.getRetryCount() + 1;
    const startedMs = token instanceof RetryToken ? token.startedMs : now();
    const isOver = retries >= attempts || now() - startedMs >= timeoutMs;
    if (isOver || (errorType !== 'THROTTLING' && errorType !== 'TRANSIENT'))
      // The client then throws the error of the attempt, not this one.
      throw new Error('no further attempt');
    return new RetryToken(retries, Math.random() * baseDelayMs[errorType] * 2 ** (retries - 1), startedMs);
  },
  recordSuccess: () => undefined,
});

/**
 * A response with a status of success from a proxy, or from another server at the endpoint: those of DynamoDB have an id.
 * Otherwise an empty body would be an acknowledged write, or an unknown user.
 */
class ForeignResponse extends Error {
  /** The client repeats the request, as after a lost response. */
  readonly $retryable = {};

  constructor(readonly $metadata: ServiceOutputTypes['$metadata']) {
    super('the response has no request id');
  }
}

const retryRefusals = new WeakSet<object>();

/**
 * Whether an error refused an attempt after an earlier one that had no response or an uncertain one (no HTTP status of
 * 4xx). The earlier attempt may be the reason for the refusal.
 */
export const followsUncertainAttempt = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && retryRefusals.has(error);

/** Tracks over the attempts of a request whether an earlier one may have been executed. */
const trackUncertainAttempts = (client: DynamoDBClient): void => {
  // The key is the input, because all attempts of a request share it.
  const uncertain = new WeakSet<object>();
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        const result = await next(args);
        const { $metadata } = result.output;
        if ($metadata.requestId === undefined) throw new ForeignResponse($metadata);
        return result;
      } catch (error) {
        const status = statusOf(error);
        const isRefused = status !== undefined && status >= 400 && status < 500;
        if (isRefused) {
          if (uncertain.has(args.input) && typeof error === 'object' && error !== null) retryRefusals.add(error);
        } else if (!wasNotAccepted(error)) {
          uncertain.add(args.input);
        }
        throw error;
      }
    },
    // The lowest priority of this step runs last, just before the request is sent.
    { step: 'finalizeRequest', priority: 'low', name: 'trackUncertainAttempts' },
  );
};

/** How long an unused connection stays open. */
const defaultIdleTimeoutMs = 60_000;

/** A client for many concurrent requests, which retries one for at most `timeoutMs`. */
export const openClient = (
  endpoint: AwsEndpoint,
  timeoutMs: number,
  log: Log,
  idleTimeoutMs = defaultIdleTimeoutMs,
): DynamoDBClient => {
  const agent = { maxSockets, timeout: idleTimeoutMs };
  const ignore = (): void => undefined;
  const options = clientOptions(endpoint);
  const client = new DynamoDBClient({
    ...options,
    maxAttempts,
    retryStrategy: retryStrategy(maxAttempts, timeoutMs),
    // Resolves the middleware once for each kind of command instead of for each command, if it has no abort signal.
    cacheMiddleware: true,
    requestHandler: {
      ...options.requestHandler,
      httpAgent: agent,
      httpsAgent: agent,
      logger: {
        debug: ignore,
        info: ignore,
        warn: () => log.warn({}, 'every connection to DynamoDB is in use, and requests wait for one'),
        error: ignore,
      },
    },
  });
  trackUncertainAttempts(client);
  return client;
};
