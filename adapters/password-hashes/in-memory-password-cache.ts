import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { PasswordCache, type VerifiedPassword } from '../../application/ports/password-cache.ts';

/** The least recently used entry is removed when there are more than `entries`. */
interface PasswordCacheOptions {
  readonly entries: number;
  readonly ttlMs: number;
}

const keyBytes = 32;

/**
 * Caches the HMAC-SHA-256 (RFC 2104) of verified passwords under a random key that never leaves the process, so that the
 * entries reveal nothing without the key.
 */
export class InMemoryPasswordCache extends PasswordCache {
  private readonly key: KeyObject = createSecretKey(randomBytes(keyBytes));
  private readonly digests: LRUCache<string, true>;
  private hitCount = 0;
  private missCount = 0;

  /** `monotonicNow` returns milliseconds that never decrease. */
  constructor({ entries, ttlMs }: PasswordCacheOptions, monotonicNow: () => number = () => performance.now()) {
    super();
    this.digests = new LRUCache({ max: entries, ttl: ttlMs, ttlResolution: 0, perf: { now: monotonicNow } });
  }

  get hits(): number {
    return this.hitCount;
  }

  get misses(): number {
    return this.missCount;
  }

  has(verified: VerifiedPassword): boolean {
    // `has` would not mark the entry as used.
    const found = this.digests.get(this.digestOf(verified)) ?? false;
    if (found) this.hitCount++;
    else this.missCount++;
    return found;
  }

  add(verified: VerifiedPassword): void {
    this.digests.set(this.digestOf(verified), true);
  }

  clear(): void {
    this.digests.clear();
  }

  /** JSON separates the three values unambiguously. */
  private digestOf({ key, stored, supplied }: VerifiedPassword): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([key, stored, supplied]))
      .digest('base64');
  }
}
