import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
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
 * Remembers tokens whose signature and claims were proven, so that a client that sends the same one again and again is
 * not asked for the same proof. A token is known by its digest, and no longer than it is good. When there are too many,
 * the least recently used one is forgotten.
 */
export class ProvenTokens {
  private readonly proofs: LRUCache<string, Proof>;

  /** `most` bounds how many are remembered: each takes some 300 bytes. */
  constructor(most: number) {
    this.proofs = new LRUCache({ max: most });
  }

  /** The client of a token that was proven and is still good at `now`, in milliseconds since the epoch. */
  clientOf(digest: string, now: number): Client | undefined {
    const proof = this.proofs.get(digest);
    return proof !== undefined && now < proof.until ? proof.client : undefined;
  }

  add(digest: string, client: Client, until: number): void {
    this.proofs.set(digest, { client, until });
  }
}

/** By what a token is known: comparing digests tells nothing about tokens, however long it takes. */
export const digestOf = (token: string): string => hash('sha256', token, 'base64');
