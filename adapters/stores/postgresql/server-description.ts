import type { Row } from './sql.ts';

/**
 * Reads what `describeServer` says. No privilege is needed; without that to read statistics, every program that receives the
 * log of the server counts as a synchronous standby. NULL stands for no limit.
 */
export const findServer = `SELECT current_setting('server_version'),
  (SELECT ssl FROM pg_catalog.pg_stat_ssl WHERE pid = pg_backend_pid()),
  current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') <> 'local',
  EXISTS (SELECT FROM pg_catalog.pg_stat_replication WHERE coalesce(sync_state, 'sync') IN ('sync', 'quorum')),
  least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true), '0')::int,
    (SELECT nullif(rolconnlimit, -1) FROM pg_catalog.pg_roles WHERE rolname = session_user),
    (SELECT nullif(datconnlimit, -1) FROM pg_catalog.pg_database WHERE datname = current_database()))`;

/** A line for operators about the server, from a row of `findServer`, and the most connections that the service makes. */
export const describeServer = ([version, ...row]: Row, connections: number): string => {
  const [isEncrypted, waits, hasStandby] = row.map((value) => value === 't');
  const limit = Number(row[3]);
  // A write that only an asynchronous standby lacks is lost with the primary.
  const standby = waits ? 'a standby' : 'no standby';
  return [
    `PostgreSQL ${version?.split(' ')[0]}`,
    isEncrypted ? 'encrypted' : 'not encrypted',
    `writes wait for ${standby}`,
    ...(waits && !hasStandby ? ['of which none is connected: every write ends with a timeout'] : []),
    ...(connections > limit
      ? [
          `up to ${connections} connections, but the server has ${limit} for this role: lower poolSize, unless a pooler shares them`,
        ]
      : []),
  ].join(', ');
};
