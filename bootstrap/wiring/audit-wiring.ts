import type { Audit, AuditEntry, AuditSink } from '../../adapters/http/server/request-audit.ts';
import type { Log } from '../../application/ports/log.ts';
import { type Configuration, ConfigurationError } from '../configuration/index.ts';

type Place = NonNullable<Configuration['audit']>;

/** Why a file can't be opened, by the code of the system. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'may not be written by this user',
  EISDIR: 'is a folder; write the path of a file',
  EROFS: 'is on a file system that is read only',
};

const sinkOf = async (place: Place, log: Log): Promise<AuditSink> => {
  if (place.to === 'log') {
    // A line of the log has a time already: with a second one it would be JSON that strict readers refuse.
    const write = ({ time: _, ...entry }: AuditEntry): void => log.info(entry, 'audit');
    return { write, close: async () => undefined };
  }
  const { openAuditFile } = await import('../../adapters/observability/audit-file.ts');
  try {
    return openAuditFile(place.file, log);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const message = `${reasons[code] ?? 'can not be opened'} (${code})`;
    throw new ConfigurationError('the configuration', [{ path: 'audit.file', message }]);
  }
};

/** Opens the audit of a configuration; null where nothing is audited, and then nothing is loaded. */
export const openAudit = async ({ audit }: Configuration, log: Log): Promise<Audit | null> => {
  if (audit === null) return null;
  const [{ auditTo }, sink] = await Promise.all([
    import('../../adapters/http/server/request-audit.ts'),
    sinkOf(audit, log),
  ]);
  return auditTo(sink);
};
