import { randomBytes } from 'node:crypto';

/** Who may see a secret: nobody but whoever sent it, or its user too, in an answer that returns the user. */
type Audience = 'nobody' | 'its user';

const base64Core = (secret: string, offset: number): string => {
  const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString('base64');
  // Without the characters at both ends that depend on what stands beside the secret.
  return text.slice(offset === 0 ? 0 : offset + 1, -4);
};

/** How a secret looks in a text: as it is, percent-encoded, in hexadecimal, and inside anything that is in base64. */
const looksOf = (secret: string): readonly string[] => {
  const base64 = [0, 1, 2].map((offset) => base64Core(secret, offset));
  const base64url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex'), ...base64, ...base64url];
};

/** Secrets of a run that are found wherever they turn up. */
export class Canaries {
  private readonly known = new Map<string, { readonly name: string; readonly audience: Audience }>();

  /** A new secret. Its name is for the report, and is no part of it. */
  plant(name: string): string {
    const secret = `Aa1-${randomBytes(15).toString('hex')}`;
    this.keep(name, secret, 'nobody');
    return secret;
  }

  /** Watches for a secret that was made elsewhere, such as a hash. Short ones would be found by chance. */
  keep(name: string, secret: unknown, audience: Audience): void {
    if (typeof secret === 'string' && secret.length >= 16 && !this.known.has(secret))
      this.known.set(secret, { name, audience });
  }

  get count(): number {
    return this.known.size;
  }

  /** The names of the secrets in a text; `forUser` when it is an answer that returns a user. */
  leaksIn(text: string, forUser = false): readonly string[] {
    return [...this.known]
      .filter(([, { audience }]) => !(forUser && audience === 'its user'))
      .filter(([secret]) => looksOf(secret).some((look) => text.includes(look)))
      .map(([, { name }]) => name);
  }
}
