import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Log } from '../../../application/ports/log.ts';
import { type AwsEndpoint, clientOptions } from '../../aws/aws-client.ts';
import { statusOf, wasNotAccepted } from '../../aws/errors.ts';
import { retriesUpTo } from './retries.ts';

const maxAttempts = 3;
const maxSockets = 128;

const answeredLate = new WeakSet<object>();

/**
 * Whether an error answers an attempt after one that had no answer, or an uncertain one (HTTP status 500 and above):
 * what refuses this attempt may be the work of that one.
 */
export const followsDoubt = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && answeredLate.has(error);

/** Remembers, over the attempts of one request, whether an earlier one may have been applied. */
const rememberDoubt = (client: DynamoDBClient): void => {
  // By the input, of which each request has its own, and all its attempts the same.
  const doubtful = new WeakSet<object>();
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        const status = statusOf(error);
        const refused = status !== undefined && status < 500;
        if (refused) {
          if (doubtful.has(args.input) && typeof error === 'object' && error !== null) answeredLate.add(error);
        } else if (!wasNotAccepted(error)) {
          // A request that never reached the service leaves no doubt either.
          doubtful.add(args.input);
        }
        throw error;
      }
    },
    // The lowest priority of this step comes last, when the request is about to be sent.
    { step: 'finalizeRequest', priority: 'low', name: 'rememberDoubt' },
  );
};

/**
 * A client with connections for many requests at a time, which repeats one that passes, for at most `patience`
 * milliseconds.
 */
export const openClient = (service: AwsEndpoint, patience: number, log: Log): DynamoDBClient => {
  const ignore = (): void => undefined;
  const options = clientOptions(service);
  const client = new DynamoDBClient({
    ...options,
    maxAttempts,
    retryStrategy: retriesUpTo(maxAttempts, patience),
    // What happens to a command without a signal is worked out for the first of its kind, and not for each.
    cacheMiddleware: true,
    requestHandler: {
      ...options.requestHandler,
      httpAgent: { maxSockets },
      httpsAgent: { maxSockets },
      logger: {
        debug: ignore,
        info: ignore,
        warn: () => log.warn({}, 'every connection to DynamoDB is in use, and requests wait for one'),
        error: ignore,
      },
    },
  });
  rememberDoubt(client);
  return client;
};
