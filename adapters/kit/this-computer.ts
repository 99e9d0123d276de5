const names = /^(?:localhost|.+\.localhost)\.?$/i;
// A URL has an IPv6 address in brackets.
const addresses = /^(?:127(?:\.\d{1,3}){3}|::1|\[::1\])$/;

/** Whether a host is this computer by its name or loopback address (RFC 6761, section 6.3; RFC 6890, section 2.2). */
export const isThisComputer = (host: string): boolean => names.test(host) || addresses.test(host);
