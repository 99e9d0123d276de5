import type { Secrets } from '../../../application/ports/secrets.ts';
import { placeOptions } from '../../aws/aws-options.ts';
import { defineAdapter } from '../../kit/definition.ts';
import { block, withDefault } from '../../kit/option-block.ts';
import { quantity, wholeNumber } from '../../kit/option-codecs.ts';
import { SecretsManager } from './secrets-manager.ts';

const aDay = 86_400;

/** The secrets of AWS Secrets Manager, by name or ARN. */
export const secretsmanager = defineAdapter({
  type: 'secretsmanager',
  configuration: block({
    ...placeOptions('the secrets service'),
    retryDelaySeconds: withDefault(
      quantity(0, aDay),
      1,
      'Time to wait between retries after a connection error, in seconds.',
    ),
    maxRetries: withDefault(
      wholeNumber(0, 1_000_000),
      0,
      'Maximum number of retries of a secret lookup after a connection error.',
    ),
  }),
  open: async (options): Promise<Secrets> => new SecretsManager(options),
});
