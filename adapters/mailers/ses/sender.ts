import { domainToASCII } from 'node:url';
import addressparser from 'nodemailer/lib/addressparser';
import { encodeWord, isPlainText, quoteString } from 'nodemailer/lib/mime-funcs';

/** A sender as SES takes it. */
export interface Sender {
  /** The mailbox in ASCII: the display name is encoded (RFC 2047), the domain is in Punycode. */
  readonly source: string;
  readonly address: string;
  /** Every name under which the sender may be verified: the address, its domain, and the domains above it. */
  readonly identities: readonly string[];
}

// RFC 2047, section 2: an encoded word has at most 75 characters.
const longestWord = 52;

/** An address with its domain in ASCII, which is all that SES takes; the part before the @ stays as it is. */
export const asciiDomain = (address: string): string => {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return `${address.slice(0, at)}@${domainToASCII(domain) || domain}`;
};

const domainsOf = (address: string): readonly string[] => {
  const labels = address.slice(address.lastIndexOf('@') + 1).split('.');
  // A domain of a single label above others, such as `com`, is nobody's to verify.
  return labels
    .map((_, index) => labels.slice(index).join('.'))
    .filter((domain, index) => index === 0 || domain.includes('.'));
};

const displayName = (name: string): string =>
  isPlainText(name) ? quoteString(name) : encodeWord(name, 'Q', longestWord);

/** Reads the option `fromAddress`, whose codec has seen to its form. */
export const senderOf = (fromAddress: string): Sender => {
  const [mailbox] = addressparser(fromAddress, { flatten: true });
  const address = asciiDomain(mailbox?.address ?? fromAddress);
  const name = mailbox?.name ?? '';
  return {
    source: name === '' ? address : `${displayName(name)} <${address}>`,
    address,
    identities: [address, ...domainsOf(address)],
  };
};
