import type { RandomStream } from './random.ts';

/**
 * Who may receive a secret in a response: only the client that sent it, or also the user, in responses with the user.
 */
type Audience = 'sender' | 'user';

const base64Core = (secret: string, offset: number): string => {
  const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString('base64');
  // Cut off the characters at both ends that depend on the neighbouring bytes.
  return text.slice(offset === 0 ? 0 : offset + 1, -4);
};

/** A secret verbatim, percent-encoded, in hexadecimal, and as part of a longer text in base64. */
const encodingsOf = (secret: string): readonly string[] => {
  const base64 = [0, 1, 2].map((offset) => base64Core(secret, offset));
  const base64url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex'), ...base64, ...base64url];
};

/** Records the secrets of a run, and finds them in text. */
export class LeakDetector {
  private readonly secrets = new Map<string, { readonly name: string; readonly audience: Audience }>();

  constructor(readonly random: RandomStream) {}

  /** Creates a random secret that only its sender may see. The name identifies it in failures. */
  newSecret(name: string): string {
    const secret = `Aa1-${this.random.bytes(15).toString('hex')}`;
    this.add(name, secret, 'sender');
    return secret;
  }

  /** Adds a secret created elsewhere, such as a hash. Ignores short ones, which could occur by chance. */
  add(name: string, secret: unknown, audience: Audience): void {
    if (typeof secret === 'string' && secret.length >= 16 && !this.secrets.has(secret))
      this.secrets.set(secret, { name, audience });
  }

  get count(): number {
    return this.secrets.size;
  }

  /** The names of the secrets in a text; `forUser` for a response that returns a user. */
  leaksIn(text: string, forUser = false): readonly string[] {
    return [...this.secrets]
      .filter(([, { audience }]) => !(forUser && audience === 'user'))
      .filter(([secret]) => encodingsOf(secret).some((encoding) => text.includes(encoding)))
      .map(([, { name }]) => name);
  }
}
