import { block, optional, type Problem, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { choice, text } from '../../adapters/kit/option-codecs.ts';
import type { Logging } from '../configuration/plain-blocks.ts';
import { optionalBlock } from '../configuration/section.ts';

/** The block `audit`. */
const auditBlock = block(
  {
    to: withDefault(choice(['file', 'log'] as const), 'file', 'Where lines are written: to a file, or to the log.'),
    file: optional(text, 'The path of the file; created if missing.'),
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

const levelsWithoutInfo: ReadonlySet<string> = new Set(['warn', 'error', 'fatal', 'silent']);

type OtherBlocks = { readonly logging: Pick<Logging, 'level'> };

/** An audit in a log whose level drops its lines. */
const silentAudit = ({ to }: AuditBlock, { logging }: OtherBlocks): readonly Problem[] =>
  to === 'log' && levelsWithoutInfo.has(logging.level)
    ? [
        {
          path: 'to',
          message: 'has no effect: logging.level drops the lines; write level: info there, or to: file here',
        },
      ]
    : [];

export const auditSection = optionalBlock(auditBlock, 'A line for each request about a user.', auditOf, silentAudit);
