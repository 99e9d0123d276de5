import { domainToASCII } from 'node:url';
import addressparser from 'nodemailer/lib/addressparser';
import { encodeWord, isPlainText, quoteString } from 'nodemailer/lib/mime-funcs';

/** A sender in the format of SES. */
export interface SenderIdentity {
  /** The From header in ASCII: the display name is encoded (RFC 2047), the domain is in Punycode. */
  readonly source: string;
  readonly address: string;
  /** Every identity that verifies the sender: the address, its domain, and the parent domains. */
  readonly identities: readonly string[];
}

// An encoded word has at most 75 characters (RFC 2047, section 2), of which this many encode text.
const maxEncodedLength = 52;

/** Converts the domain of the sender to ASCII, which SES requires. The local part is unchanged. */
const asciiDomain = (address: string): string => {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return `${address.slice(0, at)}@${domainToASCII(domain) || domain}`;
};

const domainsOf = (address: string): readonly string[] => {
  const labels = address.slice(address.lastIndexOf('@') + 1).split('.');
  // Top-level domains such as `com` cannot be verified.
  return labels
    .map((_, index) => labels.slice(index).join('.'))
    .filter((domain, index) => index === 0 || domain.includes('.'));
};

const displayName = (name: string): string =>
  isPlainText(name) ? quoteString(name) : encodeWord(name, 'Q', maxEncodedLength);

/** Parses the option `fromAddress`, which its codec has validated. */
export const senderIdentityOf = (fromAddress: string): SenderIdentity => {
  const [mailbox] = addressparser(fromAddress, { flatten: true });
  const address = asciiDomain(mailbox?.address ?? fromAddress);
  const name = mailbox?.name ?? '';
  return {
    source: name === '' ? address : `${displayName(name)} <${address}>`,
    address,
    identities: [address, ...domainsOf(address)],
  };
};

/**
 * Whether a refusal by SES names an identity of the sender, other than as a part of another address: that of a recipient
 * in the same domain.
 */
export const namesSender = ({ identities }: SenderIdentity, refusal: string, recipient: string): boolean => {
  // Anybody can choose the address of a recipient, with an identity of the sender as a part of it.
  const others = refusal.toLowerCase().replaceAll(recipient.toLowerCase(), ' ');
  const words = others.split(/[\s"<>(),:;]+|identity\//).map((word) => word.replace(/^'/, '').replace(/['.]$/, ''));
  const named = new Set(words);
  return identities.some((identity) => named.has(identity.toLowerCase()));
};
