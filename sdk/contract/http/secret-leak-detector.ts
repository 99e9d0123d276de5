/** Anything shorter is no secret, because it could occur by chance. */
const minLength = 16;

/** Collects the secrets that clients send or receive and the output of the service, and finds secrets in the output. */
export class SecretLeakDetector {
  private readonly secrets = new Set<string>();
  private readonly outputs: string[] = [];

  /** Adds a secret, if it is long enough. */
  addSecret(secret: unknown): void {
    if (typeof secret === 'string' && secret.length >= minLength) this.secrets.add(secret);
  }

  /** Adds text that must not contain a secret: the body and headers of an error response, a log line. */
  addOutput(text: string): void {
    this.outputs.push(text);
  }

  /** The number of secrets and outputs so far. */
  get counts(): { readonly secrets: number; readonly outputs: number } {
    return { secrets: this.secrets.size, outputs: this.outputs.length };
  }

  /** The outputs that contain a secret, verbatim or percent-encoded. */
  leaks(): readonly string[] {
    // By their first characters, because a search for each of thousands of secrets takes seconds.
    const byStart = new Map<string, string[]>();
    for (const secret of this.secrets)
      for (const form of new Set([secret, encodeURIComponent(secret.toWellFormed())])) {
        const start = form.slice(0, minLength);
        byStart.set(start, byStart.get(start)?.concat(form) ?? [form]);
      }
    const leaks = (text: string): boolean => {
      for (let at = 0; at + minLength <= text.length; at++)
        if (byStart.get(text.slice(at, at + minLength))?.some((form) => text.startsWith(form, at))) return true;
      return false;
    };
    return this.outputs.filter(leaks);
  }
}
