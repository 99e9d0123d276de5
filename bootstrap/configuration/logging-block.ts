import { map, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { below, block, optional, problemAt, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { type Codec, choice, text } from '../../adapters/kit/option-codecs.ts';

const levels = choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const, {
  all: 'trace',
  off: 'silent',
});
type Level = t.TypeOf<typeof levels>;
type LevelWord = Level | 'all' | 'off';

/** A log level in any case: Dropwizard writes `INFO`, and has `ALL` and `OFF`. */
const level: Codec<Level, LevelWord | Uppercase<LevelWord>> = new t.Type<Level, unknown, unknown>(
  levels.name,
  levels.is,
  (value, context) => levels.validate(typeof value === 'string' ? value.toLowerCase() : value, context),
  t.identity,
);

/** The block `logging`. */
export const loggingBlock = block({
  level: withDefault(level, 'info', 'The minimum level of the messages that are logged; off is the same as silent.'),
  requests: withDefault(
    choice(['failed', 'all', 'none'] as const),
    'failed',
    'Which requests are logged; failed are those that ended with a 5xx status or took more than a second.',
  ),
});

export type Logging = Values<typeof loggingBlock.options>;

export const decodeLogging = (given: unknown, context: t.Context): t.Validation<Logging> =>
  loggingBlock.validate(given ?? {}, context);

/** The block `audit`. */
export const auditBlock = block(
  {
    to: withDefault(
      choice(['file', 'log'] as const),
      'file',
      'Where the service writes a line for each request about a user: to a file of its own, or to the log.',
    ),
    file: optional(text, 'The path of the file. Lines are appended; a missing file is created.'),
  },
  ({ to, file }) => {
    if ((to === 'file') === (file !== null)) return [];
    return to === 'file'
      ? [{ path: 'file', message: 'is required with to: file; write the path of the file, or to: log' }]
      : [{ path: 'file', message: 'has no effect with to: log; remove it, or write to: file' }];
  },
);

/** Where the audit is written. */
export type AuditBlock = { readonly to: 'log' } | { readonly to: 'file'; readonly file: string };

const auditOf = ({ file }: Values<typeof auditBlock.options>): AuditBlock =>
  file === null ? { to: 'log' } : { to: 'file', file };

/** Decodes the block. Without it the result is null, and nothing is audited. */
export const decodeAudit = (given: unknown, context: t.Context): t.Validation<AuditBlock | null> =>
  given === undefined ? right(null) : map(auditOf)(auditBlock.validate(given, context));

const levelsWithoutInfo: ReadonlySet<string> = new Set(['warn', 'error', 'fatal', 'silent']);

/** The error of an audit in a log whose level drops its lines. */
export const silentAudit = ({
  audit,
  logging,
}: {
  readonly audit: AuditBlock | null;
  readonly logging: Logging;
}): t.Errors =>
  audit?.to === 'log' && levelsWithoutInfo.has(logging.level)
    ? [
        problemAt(
          below([], 'audit', 'to'),
          'has no effect: logging.level drops the lines; write level: info there, or to: file here',
        ),
      ]
    : [];
