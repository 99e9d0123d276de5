import { base64Bytes } from './verify-only-hash.ts';

/** The cost parameters of argon2: memory in KiB, passes over it, and lanes that are filled in parallel. */
export interface Argon2Costs {
  readonly memoryKiB: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** A parsed argon2 hash. `digest` is base64 without padding and stands for `digestBytes` bytes. */
interface ParsedArgon2 {
  readonly variant: 'argon2id' | 'argon2i' | 'argon2d';
  readonly version: number;
  readonly costs: Argon2Costs;
  readonly salt: Buffer;
  readonly digest: string;
  readonly digestBytes: number;
}

/** The upper bounds of the cost parameters. A service can have a lower memory limit for stored hashes. */
export const maxCosts: Argon2Costs = { memoryKiB: 1024 * 1024, passes: 10, parallelism: 16 };

/**
 * The default limit for memory times passes of a stored hash: one to two seconds on one core, like bcrypt at its highest
 * cost.
 */
export const maxWorkKiB = maxCosts.memoryKiB;

/** Limits for verifying a stored hash: its memory in KiB, and its memory times passes. */
export interface Argon2Limits {
  readonly memoryKiB: number;
  readonly workKiB: number;
}

/** The minimum memory for argon2id with 2 passes and 1 lane (OWASP Password Storage Cheat Sheet): 19 MiB. */
export const minMemoryKiB = 19_456;

const pattern =
  /^\$(argon2(?:id|i|d))\$(?:v=(16|19)\$)?([a-z0-9=,]{11,40})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/;
/** The version of new hashes: 1.3 (RFC 9106). */
export const currentVersion = 19;
// Hashes without a version were made by version 1.0.
const impliedVersion = 16;

/** Parses the costs, which can be in any order; undefined when one is missing, repeated, unknown or out of bounds. */
const parseCosts = (text: string, limits: Argon2Limits): Argon2Costs | undefined => {
  const costs = new Map<string, number>();
  for (const part of text.split(',')) {
    const [, name, digits] = /^([mtp])=(\d{1,7})$/.exec(part) ?? [];
    if (name === undefined || costs.has(name)) return undefined;
    costs.set(name, Number(digits));
  }
  const { m = 0, t = 0, p = 0 } = Object.fromEntries(costs);
  const inBounds =
    p >= 1 &&
    p <= maxCosts.parallelism &&
    t >= 1 &&
    t <= maxCosts.passes &&
    // Each lane needs at least eight blocks of 1 KiB (RFC 9106, section 3.1).
    m >= 8 * p &&
    m <= Math.min(limits.memoryKiB, maxCosts.memoryKiB) &&
    m * t <= limits.workKiB;
  return inBounds ? { memoryKiB: m, passes: t, parallelism: p } : undefined;
};

const isVariant = (name: string | undefined): name is ParsedArgon2['variant'] =>
  name === 'argon2id' || name === 'argon2i' || name === 'argon2d';

/**
 * Parses an argon2 hash in the PHC string format, with a salt of 8 to 64 bytes and a digest of 12 to 64 bytes.
 * Undefined when it is malformed or exceeds `maxCosts` or the limits.
 */
export const parseArgon2 = (stored: string, limits: Argon2Limits): ParsedArgon2 | undefined => {
  const [, variant, version, parameters, salt, digest] = pattern.exec(stored) ?? [];
  if (!isVariant(variant) || parameters === undefined || salt === undefined || digest === undefined) return undefined;
  const costs = parseCosts(parameters, limits);
  const saltBytes = base64Bytes(salt);
  // A text that no bytes encode to would match no password.
  const digestBytes = base64Bytes(digest)?.length;
  if (costs === undefined || saltBytes === undefined || digestBytes === undefined) return undefined;
  return {
    variant,
    version: version === undefined ? impliedVersion : Number(version),
    costs,
    salt: saltBytes,
    digest,
    digestBytes,
  };
};
