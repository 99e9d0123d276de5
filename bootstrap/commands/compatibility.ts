import * as t from 'io-ts';
import compare from 'semver/functions/compare.js';
import valid from 'semver/functions/valid.js';
import { isMapping } from '../../adapters/kit/option-block.ts';

/** The file of a package that says what its version reads and writes. The build writes it (tools/build/write-compatibility.ts). */
export const compatibilityFile = 'dist/compatibility.json';

const strings = t.readonlyArray(t.string);

/** The versions of what a store keeps: a version of Latchkey refuses a database with a higher one than it knows. */
const Store = t.readonly(
  t.type({
    knows: t.number,
    writes: t.number,
    /** The same with ids or unique properties. */
    writesWithNames: t.number,
    /** Whether instances on several machines can use it. */
    isShared: t.boolean,
  }),
);

const Version = t.refinement(t.string, (text) => valid(text) !== null, 'Version');

/** What a version of Latchkey reads and writes. */
export const Compatibility = t.readonly(
  t.type({
    version: Version,
    /** By the type of the database; stores of other packages are not among them. */
    stores: t.record(t.string, Store),
    /** The versions of the ports. */
    ports: t.record(t.string, t.number),
    /** The stored fields of a user. */
    fields: strings,
    /** The kinds of queued mails. */
    mails: strings,
    /** The keys of the configuration, with [] for an item of a list and <word> for a key of any name. */
    options: strings,
  }),
);

export type Compatibility = t.TypeOf<typeof Compatibility>;

/** What a configuration needs of both versions. */
export interface Needs {
  /** The type of the database. */
  readonly database: string;
  /** Whether users have ids or unique properties. */
  readonly keepsNames: boolean;
  /** The ports of adapters of other packages. */
  readonly ports: readonly string[];
  /** The configuration, whose keys both versions have to know. */
  readonly document: unknown;
}

/** One line of the outcome. */
interface Finding {
  readonly mark: 'ok' | 'warn' | 'FAIL';
  readonly text: string;
}

const warning = (text: string): Finding => ({ mark: 'warn', text });
const failure = (text: string): Finding => ({ mark: 'FAIL', text });

/** The paths of all keys of a document. */
const pathsIn = (value: unknown, path = ''): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, `${path}[]`));
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const below = path === '' ? key : `${path}.${key}`;
    return [below, ...pathsIn(inner, below)];
  });
};

/** Whether a key is one of the options of a version. */
const isOption = ({ options }: Compatibility, path: string): boolean => {
  const parts = path.split('.');
  return options.some((option) => {
    const names = option.split('.');
    return names.length === parts.length && names.every((name, n) => name === parts[n] || name.startsWith('<'));
  });
};

const without = (all: readonly string[], known: readonly string[]): readonly string[] =>
  all.filter((one) => !known.includes(one));

const aboutStore = (
  former: Compatibility,
  later: Compatibility,
  { database, keepsNames }: Needs,
): readonly Finding[] => {
  const rolling = `rolling upgrade from ${former.version} to ${later.version}`;
  const back = `way back from ${later.version} to ${former.version}`;
  const [before, after] = [former.stores[database], later.stores[database]];
  if (before === undefined || after === undefined) {
    const why = `the versions do not tell about the database type ${database}; ask who wrote its adapter`;
    return [rolling, back].map((what) => failure(`${what}: not known: ${why}`));
  }
  const [wrote, writes] = keepsNames ? [before.writesWithNames, after.writesWithNames] : [before.writes, after.writes];
  if (wrote > after.knows) {
    const why = `${former.version} writes format ${wrote} of ${database}, and ${later.version} refuses more than ${after.knows}`;
    return [failure(`upgrade from ${former.version} to ${later.version}: not possible: ${why}`)];
  }
  if (writes <= before.knows) {
    const why = `${later.version} writes format ${writes} of ${database}, which ${former.version} knows`;
    const alone = warning(`${rolling}: stop ${former.version} first: ${database} belongs to one instance`);
    const possible = (what: string): Finding => ({ mark: 'ok', text: `${what}: possible: ${why}` });
    return [after.isShared ? possible(rolling) : alone, possible(back)];
  }
  const why = `${later.version} writes format ${writes} of ${database}, and ${former.version} refuses more than ${before.knows}`;
  return [
    failure(`${rolling}: not possible: ${why}; stop all instances first`),
    failure(`${back}: not possible without the backup from before the upgrade: ${why}`),
  ];
};

/**
 * Whether two versions can work on one database at the same time, and what stands in the way of either direction: `own` is
 * the version that decoded the configuration.
 */
export const compared = (own: Compatibility, other: Compatibility, needs: Needs): readonly Finding[] => {
  const [former, later] = compare(own.version, other.version) > 0 ? [other, own] : [own, other];
  const ports = needs.ports.filter((port) => own.ports[port] !== other.ports[port]);
  const foreign = [...new Set(pathsIn(needs.document))].filter((path) => isOption(own, path) && !isOption(other, path));
  const dropping = (version: string, fields: readonly string[]): readonly Finding[] =>
    fields.length === 0 ? [] : [warning(`${version} may drop of users whom it changes: ${fields.join(', ')}`)];
  const mails = without(later.mails, former.mails);
  return [
    ...aboutStore(former, later, needs),
    ...ports.map((port) =>
      failure(`adapters of ${port}: ${other.version} needs version ${other.ports[port]} of the port`),
    ),
    ...foreign.map((path) => failure(`configuration: ${other.version} refuses ${path}`)),
    ...dropping(former.version, without(later.fields, former.fields)),
    ...dropping(later.version, without(former.fields, later.fields)),
    ...(mails.length === 0 ? [] : [warning(`${former.version} does not send queued mails of: ${mails.join(', ')}`)]),
  ];
};
