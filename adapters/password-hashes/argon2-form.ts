/** What an argon2 hash costs: memory in KiB, passes over it, and lanes that fill it at once. */
export interface Argon2Costs {
  readonly memoryKiB: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** An argon2 hash, taken apart. `digest` is base64 without padding, of `digestBytes` bytes. */
export interface Argon2Form {
  readonly variant: 'argon2id' | 'argon2i' | 'argon2d';
  readonly version: number;
  readonly costs: Argon2Costs;
  readonly salt: Buffer;
  readonly digest: string;
  readonly digestBytes: number;
}

/** The most that any hash may cost. The ceiling of a service for stored hashes can be lower in memory. */
export const greatestCosts: Argon2Costs = { memoryKiB: 1024 * 1024, passes: 10, parallelism: 16 };

/**
 * The most work of a stored hash, in KiB written over all passes: a second of a core or two, as bcrypt takes at its
 * greatest cost.
 */
export const greatestWorkKiB = greatestCosts.memoryKiB;

/** The most that verifying a stored hash may take: memory in KiB, and KiB that are written over all passes. */
export interface Argon2Ceiling {
  readonly memoryKiB: number;
  readonly workKiB: number;
}

/** The least memory that OWASP's password storage cheat sheet advises for argon2id with 2 passes and 1 lane: 19 MiB. */
export const leastMemoryKiB = 19_456;

const form =
  /^\$(argon2(?:id|i|d))\$(?:v=(16|19)\$)?([a-z0-9=,]{11,40})\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{16,86})$/;
/** The version that is written: 1.3 (RFC 9106). */
export const currentVersion = 19;
// Before it wrote its version, argon2 had version 16 (1.0).
const unwrittenVersion = 16;

/** The costs, each named once, in any order; undefined when one is missing, unknown or out of bounds. */
const parseCosts = (text: string, ceiling: Argon2Ceiling): Argon2Costs | undefined => {
  const costs = new Map<string, number>();
  for (const part of text.split(',')) {
    const [, name, digits] = /^([mtp])=(\d{1,7})$/.exec(part) ?? [];
    if (name === undefined || costs.has(name)) return undefined;
    costs.set(name, Number(digits));
  }
  const { m = 0, t = 0, p = 0 } = Object.fromEntries(costs);
  const bounded =
    p >= 1 &&
    p <= greatestCosts.parallelism &&
    t >= 1 &&
    t <= greatestCosts.passes &&
    // Each lane needs eight blocks of 1 KiB (RFC 9106, section 3.1).
    m >= 8 * p &&
    m <= Math.min(ceiling.memoryKiB, greatestCosts.memoryKiB) &&
    m * t <= ceiling.workKiB;
  return bounded ? { memoryKiB: m, passes: t, parallelism: p } : undefined;
};

const isVariant = (name: string | undefined): name is Argon2Form['variant'] =>
  name === 'argon2id' || name === 'argon2i' || name === 'argon2d';

/**
 * Reads the PHC string of an argon2 hash; undefined when it is malformed, or costs more than `greatestCosts` or the
 * ceiling.
 * Salts of 8 to 48 bytes and digests of 12 to 64 are read, as the PHC string format bounds them for argon2.
 */
export const parseArgon2 = (stored: string, ceiling: Argon2Ceiling): Argon2Form | undefined => {
  const [, variant, version, parameters, salt, digest] = form.exec(stored) ?? [];
  if (!isVariant(variant) || parameters === undefined || salt === undefined || digest === undefined) return undefined;
  const costs = parseCosts(parameters, ceiling);
  if (costs === undefined) return undefined;
  return {
    variant,
    version: version === undefined ? unwrittenVersion : Number(version),
    costs,
    salt: Buffer.from(salt, 'base64'),
    digest,
    digestBytes: Buffer.byteLength(digest, 'base64'),
  };
};
