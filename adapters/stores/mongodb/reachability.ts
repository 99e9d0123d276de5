import {
  MongoMissingDependencyError,
  type MongoOptions,
  MongoServerError,
  type ServerDescription,
  type TopologyDescription,
} from 'mongodb';

/** The reason why no server accepts writes; its message contains no value. */
export class UnreachableDatabase extends Error {}

/** A constant such as ECONNREFUSED or AuthenticationFailed, which holds no value; undefined for any other text. */
export const constantOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_]{1,60}$/.test(value) ? value : undefined;

/** An error and the chain of its causes. */
export const causesOf = (error: unknown): readonly Error[] =>
  error instanceof Error ? [error, ...causesOf(error.cause)] : [];

/** Explanations for messages of the driver and of Node.js that come with no code, or with one that says little. */
const hints: readonly (readonly [text: RegExp, hint: string])[] = [
  [/before secure TLS connection was established/, 'does the server speak TLS?'],
  [/^connection .* timed out$/, 'no response'],
  [/^connection .* closed$/, 'it ends the connection: is it MongoDB, and does it expect TLS?'],
  [/^malformed message of the server$/, 'it sends malformed messages: is it MongoDB?'],
];

/** Why a connection failed, with the code of the system or of TLS. */
export const connectionReason = (error: unknown): string => {
  const causes = causesOf(error);
  // The code of a server is a number.
  const code = causes.map((cause) => ('code' in cause ? constantOf(cause.code) : undefined)).find((it) => it);
  const hint = hints.find(([text]) => causes.some(({ message }) => text.test(message)))?.[1];
  const details = [code, hint].filter((it) => it !== undefined).join(': ');
  return details === '' ? 'cannot be reached' : `cannot be reached (${details})`;
};

/** Names the missing package that an option needs; the driver calls one of them by another name. */
export const missingPackage = ({ dependencyName }: MongoMissingDependencyError): string => {
  const plainName = /^[@a-z0-9/_-]{1,60}$/.exec(dependencyName)?.[0] ?? 'of its own';
  const name = dependencyName === 'zstd' ? '@mongodb-js/zstd' : plainName;
  return `an option of the connection string needs the package ${name}, which is not installed`;
};

const fileOptions = ['tlsCAFile', 'tlsCertificateKeyFile', 'tlsCRLFile'] as const;
const fileProblems: Readonly<Record<string, string>> = { ENOENT: 'is missing', EACCES: 'may not be read' };

/** The reason behind an error of the file system: the driver reads the files of its options when it connects. */
export const unreadableFile = (
  error: unknown,
  options: Readonly<Partial<Record<(typeof fileOptions)[number], string>>>,
): UnreachableDatabase | undefined => {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined;
  if (error.syscall !== 'open' && error.syscall !== 'read') return undefined;
  const path = 'path' in error ? error.path : undefined;
  const option = fileOptions.find((name) => options[name] !== undefined && options[name] === path);
  const problem = fileProblems[String(error.code)] ?? 'cannot be read';
  return new UnreachableDatabase(
    `the file of ${option ?? 'a TLS option'} ${problem} (${constantOf(error.code) ?? 'no code'})`,
  );
};

/** The state of a deployment, and the connection string by which it was found. */
interface DeploymentState {
  readonly deployment: TopologyDescription;
  readonly options: Pick<MongoOptions, 'hosts' | 'srvHost' | 'replicaSet'>;
  /** The replica set of the last server that answered, null if it is not a member of one; undefined if none answered. */
  readonly lastReplicaSet: string | null | undefined;
}

const quoted = (name: string): string => JSON.stringify(name.slice(0, 64));

/** Whether an error says more than that a connection failed: a server refused it, or the driver lacks a package. */
const isSpecific = (error: unknown): error is Error =>
  causesOf(error).some((cause) => cause instanceof MongoServerError || cause instanceof MongoMissingDependencyError);

/** The reason for a server that failed; one that the connection string does not name is identified by its address. */
const failedServer = (
  { address, error }: ServerDescription,
  { hosts, srvHost }: DeploymentState['options'],
): string => {
  const named = srvHost !== undefined || hosts.some((host) => host.toString() === address);
  const subject = named ? 'the server' : `the replica set names a member ${quoted(address)}, and that`;
  return `${subject} ${connectionReason(error)}`;
};

const noPrimary = (deployment: TopologyDescription): string =>
  deployment.type === 'Single'
    ? 'the server is not the primary of its replica set, and directConnection prevents the driver from finding it'
    : 'the replica set has no primary';

const otherReplicaSet = (wanted: string, found: string | null): string =>
  `the connection string asks for the replica set ${quoted(wanted)}, and the server is ${found === null ? 'not a member of a replica set' : `in ${quoted(found)}`}`;

/**
 * Why no server of a deployment accepts writes: UnreachableDatabase, or the more specific error of a server. Undefined if
 * a server accepts them, and while no state is known yet.
 */
export const findUnreachable = ({ deployment, options, lastReplicaSet }: DeploymentState): Error | undefined => {
  const servers = [...deployment.servers.values()];
  if (servers.some(({ isWritable }) => isWritable)) return undefined;
  if (servers.some(({ type }) => type === 'RSGhost'))
    return new UnreachableDatabase('the replica set is not initiated, or the server left it');
  if (servers.some(({ isReadable }) => isReadable)) return new UnreachableDatabase(noPrimary(deployment));
  const failed = servers.find(({ error }) => error !== null);
  if (failed !== undefined)
    return isSpecific(failed.error) ? failed.error : new UnreachableDatabase(failedServer(failed, options));
  return options.replicaSet && lastReplicaSet !== undefined && lastReplicaSet !== options.replicaSet
    ? new UnreachableDatabase(otherReplicaSet(options.replicaSet, lastReplicaSet))
    : undefined;
};
