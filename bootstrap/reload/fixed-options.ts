import { isDeepStrictEqual } from 'node:util';
import { isMapping, member } from '../../adapters/kit/option-block.ts';
import { omit } from '../configuration/option-errors.ts';

/** What the store, the ports, the workers and the log were opened with: it changes with a restart only. */
const fixedPaths = [
  'database',
  'logging.level',
  'operationTimeout',
  'options',
  'privacy.hideUnknownUsers',
  'server.adminConnectors',
  'server.adminHost',
  'server.adminPort',
  'server.applicationConnectors',
  'server.host',
  'server.port',
  'server.workers',
];

/** A certificate may change, but not whether there is one. */
const optionalPaths = ['server.adminTls', 'server.tls'];

const at = (document: unknown, path: string): unknown =>
  path.split('.').reduce((value: unknown, key) => member(value, key), document);

const put = (document: unknown, [key = '', ...others]: readonly string[], value: unknown): unknown => {
  const inner = others.length === 0 ? value : put(member(document, key), others, value);
  const rest = omit(document, [key]);
  return inner === undefined || !isMapping(rest) ? rest : { ...rest, [key]: inner };
};

/**
 * The next document, in which what needs a restart is as it was, and the paths of what differs. `others`: further paths
 * that must not change.
 */
export const withFixedOptions = (running: unknown, next: unknown, others: readonly string[]) => {
  const isSwitched = (path: string): boolean =>
    ((at(running, path) ?? null) === null) !== ((at(next, path) ?? null) === null);
  const changed = [
    ...[...fixedPaths, ...others].filter((path) => !isDeepStrictEqual(at(running, path), at(next, path))),
    ...optionalPaths.filter(isSwitched),
  ];
  const document = changed.reduce((kept, path) => put(kept, path.split('.'), at(running, path)), next);
  return { document, changed };
};
