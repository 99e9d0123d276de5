import { hash } from 'node:crypto';
import type { Client } from './authenticator.ts';

/** What a token was proven to be. */
export interface Proof {
  readonly client: Client;
  /** Until when the token is good, in milliseconds since the epoch. */
  readonly until: number;
}

/** How many tokens are remembered that were proven: more than the clients of a service use at a time. */
export const mostProven = 10_000;

/**
 * Tokens whose signature and claims were proven, so that a client that sends the same one again and again is not asked
 * for the same proof. A token is known by its digest, and no longer than it is good. When there are too many, the
 * oldest half is forgotten.
 */
export class ProvenTokens {
  private recent = new Map<string, Proof>();
  private older: ReadonlyMap<string, Proof> = new Map();

  /** `most` bounds how many are remembered: each takes some 300 bytes. */
  constructor(private readonly most: number) {}

  /** The client of a token that was proven and is still good at this time. */
  clientOf(digest: string, now: number): Client | undefined {
    const proof = this.recent.get(digest) ?? this.older.get(digest);
    return proof !== undefined && now < proof.until ? proof.client : undefined;
  }

  add(digest: string, client: Client, until: number): void {
    this.recent.set(digest, { client, until });
    if (this.recent.size < this.most / 2) return;
    this.older = this.recent;
    this.recent = new Map();
  }
}

/** By what a token is known: comparing digests tells nothing about tokens, however long it takes. */
export const digestOf = (token: string): string => hash('sha256', token, 'base64');
