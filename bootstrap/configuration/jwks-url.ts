import { isLoopback } from '../../adapters/kit/addresses.ts';
import { type Codec, refine, text } from '../../adapters/kit/option-codecs.ts';

/** Whoever can change the answer on its way can sign tokens: plain HTTP is for this computer only. */
const isTrustworthy = (value: string): boolean => {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, username, password, hash } = new URL(value);
  if (username !== '' || password !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
};

/** The URL of a key set (RFC 7517). It may have a query. */
export const jwksUrl: Codec<string> = refine(
  text,
  isTrustworthy,
  'expected an https URL without user and fragment; http is for localhost only',
);
