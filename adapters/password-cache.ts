import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { PasswordCache, type VerifiedPassword } from '../application/ports/password-cache.ts';

/** How many passwords are remembered, the least recently used one being forgotten first, and for how many milliseconds. */
export interface PasswordCacheOptions {
  readonly entries: number;
  readonly ttl: number;
}

const keyBytes = 32;

/**
 * Remembers passwords in this process, by their HMAC-SHA-256 (RFC 2104) under a key that is made at the start and is
 * never written anywhere: what is kept says nothing without the key, and nothing to another process.
 */
export class InMemoryPasswordCache extends PasswordCache {
  private readonly key: KeyObject = createSecretKey(randomBytes(keyBytes));
  private readonly known: LRUCache<string, true>;
  private found = 0;
  private missed = 0;

  /** `now` tells milliseconds from any moment on, and never goes back. */
  constructor({ entries, ttl }: PasswordCacheOptions, now: () => number = () => performance.now()) {
    super();
    this.known = new LRUCache({ max: entries, ttl, ttlResolution: 0, perf: { now } });
  }

  /** How often it was asked for what it knew, since the start. */
  get hits(): number {
    return this.found;
  }

  /** How often it was asked for what it did not know, since the start. */
  get misses(): number {
    return this.missed;
  }

  has(verified: VerifiedPassword): boolean {
    // To read is to use: what is asked for again is forgotten last.
    const known = this.known.get(this.digestOf(verified)) ?? false;
    if (known) this.found++;
    else this.missed++;
    return known;
  }

  add(verified: VerifiedPassword): void {
    this.known.set(this.digestOf(verified), true);
  }

  clear(): void {
    this.known.clear();
  }

  /** JSON keeps the three apart, whatever is in them. */
  private digestOf({ key, stored, supplied }: VerifiedPassword): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([key, stored, supplied]))
      .digest('base64');
  }
}
