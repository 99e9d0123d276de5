/** Collects the secrets that clients send or receive and the output of the service, and finds secrets in the output. */
export class SecretLeakDetector {
  private readonly secrets = new Set<string>();
  private readonly outputs: string[] = [];

  /** Adds a secret. Anything shorter than 16 characters is ignored, because it could occur by chance. */
  addSecret(secret: unknown): void {
    if (typeof secret === 'string' && secret.length >= 16) this.secrets.add(secret);
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
    const secrets = [...this.secrets].flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed())]);
    return this.outputs.filter((text) => secrets.some((secret) => text.includes(secret)));
  }
}
