import {
  MongoMissingDependencyError,
  type MongoOptions,
  MongoServerError,
  type ServerDescription,
  type TopologyDescription,
} from 'mongodb';

/** A reason why the database can't be used, in words that hold no value. */
export class Obstacle extends Error {}

/** A constant such as ECONNREFUSED or AuthenticationFailed, which can't hold a value. */
export const constantOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_]{1,60}$/.test(value) ? value : undefined;

/** An error, its cause, the cause of that, and so on. */
export const causesOf = (error: unknown): readonly Error[] =>
  error instanceof Error ? [error, ...causesOf(error.cause)] : [];

/** What the texts of the driver and of Node.js tell where there is no code, or one that says little. */
const hints: readonly (readonly [text: RegExp, hint: string])[] = [
  [/before secure TLS connection was established/, 'does the server speak TLS?'],
  [/^connection .* timed out$/, 'no answer'],
  [/^connection .* closed$/, 'it ends the connection: is it MongoDB, and does it expect TLS?'],
];

/** Why a connection failed, in a few words with the system's or TLS's own code. */
export const connectionReason = (error: unknown): string => {
  const causes = causesOf(error);
  // The code of a server's refusal is a number.
  const code = causes.map((cause) => ('code' in cause ? constantOf(cause.code) : undefined)).find((it) => it);
  const hint = hints.find(([text]) => causes.some(({ message }) => text.test(message)))?.[1];
  const details = [code, hint].filter((it) => it !== undefined).join(': ');
  return details === '' ? 'can not be reached' : `can not be reached (${details})`;
};

const fileOptions = ['tlsCAFile', 'tlsCertificateKeyFile', 'tlsCRLFile'] as const;
const fileTroubles: Readonly<Record<string, string>> = { ENOENT: 'is missing', EACCES: 'may not be read' };

/** The Obstacle behind an error of the file system: the driver reads the files of its options when it connects. */
export const unreadableFile = (
  error: unknown,
  options: Readonly<Partial<Record<(typeof fileOptions)[number], string>>>,
): Obstacle | undefined => {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined;
  if (error.syscall !== 'open' && error.syscall !== 'read') return undefined;
  const path = 'path' in error ? error.path : undefined;
  const option = fileOptions.find((name) => options[name] !== undefined && options[name] === path);
  const trouble = fileTroubles[String(error.code)] ?? 'can not be read';
  return new Obstacle(`the file of ${option ?? 'a TLS option'} ${trouble} (${constantOf(error.code) ?? 'no code'})`);
};

/** What is known of a deployment and of what the connection string says about it. */
export interface Sight {
  readonly deployment: TopologyDescription;
  readonly options: Pick<MongoOptions, 'hosts' | 'srvHost' | 'replicaSet'>;
  /** The replica set of the server that answered last, null when it is in none; undefined when none has answered. */
  readonly answeredFor: string | null | undefined;
}

const quoted = (name: string): string => JSON.stringify(name.slice(0, 64));

/** Whether an error says more than that a connection failed: a server refused it, or the driver can't do what it needs. */
const speaksForItself = (error: unknown): error is Error =>
  causesOf(error).some((cause) => cause instanceof MongoServerError || cause instanceof MongoMissingDependencyError);

/** The words for a server that failed; a member that the connection string doesn't name is known by its address. */
const ofLost = ({ address, error }: ServerDescription, { hosts, srvHost }: Sight['options']): string => {
  const named = srvHost !== undefined || hosts.some((host) => host.toString() === address);
  const subject = named ? 'the server' : `the replica set names a member ${quoted(address)}, and that`;
  return `${subject} ${connectionReason(error)}`;
};

const ofMembers = (deployment: TopologyDescription): string =>
  deployment.type === 'Single'
    ? 'the server is not the primary of its replica set, and directConnection keeps from looking for that'
    : 'the replica set has no primary';

const ofOtherSet = (wanted: string, found: string | null): string =>
  `the connection string asks for the replica set ${quoted(wanted)}, and the server is in ${found === null ? 'none' : quoted(found)}`;

/**
 * Why no server of a deployment takes writes: an Obstacle, or the error of a server that tells more. Undefined when one
 * does take them, and while nothing is known yet.
 */
export const obstacleIn = ({ deployment, options, answeredFor }: Sight): Error | undefined => {
  const servers = [...deployment.servers.values()];
  if (servers.some(({ isWritable }) => isWritable)) return undefined;
  if (servers.some(({ type }) => type === 'RSGhost'))
    return new Obstacle('the replica set is not initiated, or the server left it');
  if (servers.some(({ isReadable }) => isReadable)) return new Obstacle(ofMembers(deployment));
  const lost = servers.find(({ error }) => error !== null);
  if (lost !== undefined) return speaksForItself(lost.error) ? lost.error : new Obstacle(ofLost(lost, options));
  return options.replicaSet && answeredFor !== undefined && answeredFor !== options.replicaSet
    ? new Obstacle(ofOtherSet(options.replicaSet, answeredFor))
    : undefined;
};
