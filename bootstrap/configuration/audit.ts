import { map, right } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { block, optional, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { choice, text } from '../../adapters/kit/option-codecs.ts';
import type { Logging } from './logging.ts';
import { below, problemAt } from './validation.ts';

/** Where the audit goes. */
export type Audit = { readonly to: 'log' } | { readonly to: 'file'; readonly file: string };

/** The block `audit`. */
export const auditBlock = block(
  {
    to: withDefault(
      choice(['file', 'log'] as const),
      'file',
      'Where a line goes for each request about a user: a file of its own, or the log of the service.',
    ),
    file: optional(text, 'The path of the file, to which lines are appended; it is created when it is missing.'),
  },
  ({ to, file }) => {
    if ((to === 'file') === (file !== null)) return [];
    return to === 'file'
      ? [{ path: 'file', message: 'is required with to: file; write the path of the file, or to: log' }]
      : [{ path: 'file', message: 'has no effect with to: log; remove it, or write to: file' }];
  },
);

const auditOf = ({ file }: Values<typeof auditBlock.options>): Audit =>
  file === null ? { to: 'log' } : { to: 'file', file };

/** Decodes the block; null when it is absent, and then nothing is audited. */
export const decodeAudit = (given: unknown, context: t.Context): t.Validation<Audit | null> =>
  given === undefined ? right(null) : map(auditOf)(auditBlock.validate(given, context));

const silencing: ReadonlySet<string> = new Set(['warn', 'error', 'fatal', 'silent']);

/** A log that would swallow the lines. */
export const unheard = ({ audit, logging }: { readonly audit: Audit | null; readonly logging: Logging }): t.Errors =>
  audit?.to === 'log' && silencing.has(logging.level)
    ? [
        problemAt(
          below([], 'audit', 'to'),
          'has no effect: logging.level leaves the lines out; write info there, or to: file here',
        ),
      ]
    : [];
