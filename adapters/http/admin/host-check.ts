import { isIP } from 'node:net';

/** The host in a Host header (RFC 9110, section 7.2), lower-case, without its port, its brackets and a final dot. */
const hostIn = (header: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(header)?.[1];
  const host = bracketed ?? header.replace(/:\d*$/, '').replace(/\.$/, '');
  return host.toLowerCase();
};

/**
 * Decides whether a Host header names this service: an IP address, `localhost`, or one of `names`, in any case and with
 * any port. A page can have its own host name resolve to an address of this machine and then read what is answered
 * there (DNS rebinding), but its browser still sends that name. A request without the header passes, because it is
 * HTTP/1.0, which no browser speaks.
 */
export const knownHosts = (names: readonly string[]): ((header: string | undefined) => boolean) => {
  const known = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  return (header) => {
    if (header === undefined) return true;
    const host = hostIn(header);
    return known.has(host) || isIP(host) !== 0;
  };
};
