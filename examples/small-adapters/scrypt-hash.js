import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { block, defineModule, PasswordHash, wholeNumber, withDefault } from 'latchkey/ports';

const derive = promisify(scrypt);
const form = /^\$acme\$(1[0-7])\$([A-Za-z0-9_-]{22})\$([A-Za-z0-9_-]{43})$/;

class ScryptHash extends PasswordHash {
  /** A hash takes 2^cost KiB of memory. A stored hash above `maxMemoryKiB` matches no password. */
  constructor(cost, maxMemoryKiB) {
    super();
    this.cost = cost;
    this.maxMemoryKiB = maxMemoryKiB;
  }

  canHash(password) {
    return password.isWellFormed();
  }

  async hash(password) {
    if (!this.canHash(password)) throw new RangeError('the password is not well-formed');
    const salt = randomBytes(16);
    const digest = await this.digest(password, salt, this.cost);
    return `$acme$${this.cost}$${salt.toString('base64url')}$${digest.toString('base64url')}`;
  }

  async verify(stored, password) {
    const [, cost, salt, digest] = form.exec(stored) ?? [];
    if (digest === undefined || 2 ** cost > this.maxMemoryKiB || !this.canHash(password)) return false;
    const computed = await this.digest(password, Buffer.from(salt, 'base64url'), Number(cost));
    return timingSafeEqual(computed, Buffer.from(digest, 'base64url'));
  }

  inspect(stored) {
    const [, cost] = form.exec(stored) ?? [];
    if (cost === undefined) return 'foreign';
    if (Number(cost) === this.cost) return 'current';
    return Number(cost) > this.cost ? 'expensive' : 'outdated';
  }

  digest(password, salt, cost) {
    // Scrypt alone ignores NUL characters at the end of a password.
    const input = createHash('sha256').update(password).digest();
    // 128 * N * r bytes of memory, here with r = 8.
    return derive(input, salt, 32, { N: 2 ** cost, r: 8, maxmem: 2 ** (cost + 11) });
  }
}

export default defineModule({
  port: 'PasswordHash',
  portVersion: 2,
  type: 'acme-scrypt',
  configuration: block({
    cost: withDefault(wholeNumber(10, 17), 15, 'The cost: a hash takes 2^cost KiB of memory.'),
  }),
  open: async ({ cost }, { hashMemoryKiB = 2 ** 17 }) => new ScryptHash(cost, hashMemoryKiB),
});
