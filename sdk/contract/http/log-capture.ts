/** Remembers every secret that passed and every text that others may read, to tell whether one holds the other. */
export class Witness {
  private readonly secrets = new Set<string>();
  private readonly texts: string[] = [];

  /** A text that must stay between the client and the service. Short ones would be found by chance. */
  keep(secret: unknown): void {
    if (typeof secret === 'string' && secret.length >= 16) this.secrets.add(secret);
  }

  /** A text that must hold no secret: an error body, a header of it, a line of the log. */
  overhear(text: string): void {
    this.texts.push(text);
  }

  /** How much there was to compare. */
  get seen(): { readonly secrets: number; readonly texts: number } {
    return { secrets: this.secrets.size, texts: this.texts.length };
  }

  /** The texts that hold a secret, as it is or percent-encoded. */
  leaks(): readonly string[] {
    const secrets = [...this.secrets].flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed())]);
    return this.texts.filter((text) => secrets.some((secret) => text.includes(secret)));
  }
}
