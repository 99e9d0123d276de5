import type { Request } from 'koa';
import type { Reply } from '../server/response.ts';

// What a Host header may be (RFC 3986, section 3.2): anything else would write itself into the link.
const hostForm = /^(?:[a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Where the service is reached from outside, without a slash at the end: what the configuration says, or else what the
 * request names. Undefined when that is no host.
 */
export const baseUrlOf = (request: Request, publicUrl: string | null): string | undefined => {
  if (publicUrl !== null) return publicUrl;
  // A proxy may pass on whatever it was told.
  const { protocol, host } = request;
  return hostForm.test(host) && protocol !== '' ? `${protocol}://${host}` : undefined;
};

const pathOf = (publicUrl: string | null): string =>
  publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');

/** Leads a person whose address is verified to the success page. It names neither address nor token. */
export const toSuccess = (publicUrl: string | null): Reply => ({
  status: 303,
  headers: {
    Location: `${pathOf(publicUrl)}/verify/success`,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  },
  body: '',
});
