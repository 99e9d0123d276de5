import type { Log } from '../../../application/ports/adapter.ts';

const place = /^(\/admin\/users\/)[^/]+/;
const at = /@|%40/;

/** Also where the path is misspelt: a segment with an at sign is taken for an address. */
const withoutAddress = (path: string): string =>
  path
    .replace(place, '$1{address}')
    .split('/')
    .map((segment) => (at.test(segment) ? '{address}' : segment))
    .join('/');

/** A log that keeps the addresses out which stand in the paths of the administration. */
export const discreet = (log: Log): Log => {
  const clean = (fields: Readonly<Record<string, unknown>>) =>
    typeof fields.path === 'string' ? { ...fields, path: withoutAddress(fields.path) } : fields;
  return {
    info: (fields, message) => log.info(clean(fields), message),
    warn: (fields, message) => log.warn(clean(fields), message),
    error: (fields, message) => log.error(clean(fields), message),
  };
};
