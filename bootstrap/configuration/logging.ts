import * as t from 'io-ts';
import { block, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { type Codec, choice } from '../../adapters/kit/option-codecs.ts';

const levels = choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const, {
  all: 'trace',
  off: 'silent',
});

/** A level of the logger, in any case: Dropwizard writes `INFO`, and knows `ALL` and `OFF`. */
const level: Codec<Level> = new t.Type<Level, unknown, unknown>(
  levels.name,
  levels.is,
  (value, context) => levels.validate(typeof value === 'string' ? value.toLowerCase() : value, context),
  t.identity,
);

export type Level = t.TypeOf<typeof levels>;

/** The block `logging`. */
export const loggingBlock = block({
  level: withDefault(level, 'info', 'The least important messages that are logged; off is silent.'),
  requests: withDefault(
    choice(['failed', 'all', 'none'] as const),
    'failed',
    'Which requests are logged: failed are those that the service could not serve and those slower than a second.',
  ),
});

export type Logging = Values<typeof loggingBlock.options>;

export const decodeLogging = (given: unknown, context: t.Context): t.Validation<Logging> =>
  loggingBlock.validate(given ?? {}, context);
