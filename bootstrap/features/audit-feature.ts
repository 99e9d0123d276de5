import { type AuditEntry, auditTo } from '../../adapters/http/api/request-audit.ts';
import { createFile, openAuditFile } from '../../adapters/observability/audit-file.ts';
import { Fault } from '../../application/fault.ts';
import type { Log } from '../../application/ports/log.ts';
import { ConfigurationError } from '../configuration/index.ts';
import { onReopen } from '../reload/reopened-files.ts';
import type { AuditBlock } from './audit-block.ts';
import type { Feature, FeatureContext } from './feature.ts';

const auditFileErrors: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'is a folder; write the path of a file',
  ENXIO: 'is a pipe that no program reads, or a socket; write the path of a file, or to: log',
  EROFS: 'is on a read-only file system',
};

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return `${auditFileErrors[code] ?? 'cannot be opened'} (${code})`;
};

const openFile = (file: string, log: Log) => {
  try {
    return openAuditFile(file, log);
  } catch (error) {
    throw new ConfigurationError('the configuration', [{ path: 'audit.file', message: reasonOf(error) }]);
  }
};

/** Returns a line for operators if the service can open an existing file. Throws a Fault otherwise. */
export const checkAuditFile = (path: string): string => {
  try {
    createFile(path);
  } catch (error) {
    throw new Fault('store_rejected', `${path} ${reasonOf(error)}`);
  }
  return `lines are written to ${path}`;
};

/** The block `audit`. Throws a ConfigurationError for a file that cannot be opened. */
export const open = async (target: AuditBlock, { adapters: { clock }, log }: FeatureContext): Promise<Feature> => {
  if (target.to === 'log') {
    // The log adds a time of its own; strict JSON parsers reject a line with two.
    const write = ({ time: _, ...entry }: AuditEntry): void => log.info(entry, 'audit');
    return { observer: auditTo(write, clock) };
  }
  const sink = openFile(target.file, log);
  const forget = onReopen(() => sink.reopen());
  return {
    observer: auditTo((entry) => sink.write(entry), clock),
    metrics: () => sink.metrics(),
    flush: () => {
      forget();
      return sink.close();
    },
  };
};
