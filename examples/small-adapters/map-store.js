import { randomUUID } from 'node:crypto';
import { block, defineModule, keyOf, reservationMs, UserStore } from 'latchkey/ports';

/** Stores users in memory, without names. */
class MapStore extends UserStore {
  users = new Map();
  reservations = new Map();

  async find(key) {
    return this.users.get(key);
  }

  async insert(user, options) {
    return this.refusal(keyOf(user.email.address), options) ?? this.put(user);
  }

  async replace(previous, next, options) {
    const [from, to] = [keyOf(previous.user.email.address), keyOf(next.email.address)];
    if (this.users.get(from)?.version !== previous.version) return 'stale';
    const refusal = from === to ? undefined : this.refusal(to, options);
    if (refusal !== undefined) return refusal;
    this.users.delete(from);
    return this.put(next);
  }

  async remove({ user, version }) {
    const key = keyOf(user.email.address);
    return this.users.get(key)?.version === version && this.users.delete(key) ? 'removed' : 'stale';
  }

  async reserve(key) {
    if (this.users.has(key)) return 'taken';
    for (const [other, { endMs }] of this.reservations)
      if (endMs < performance.now()) this.reservations.delete(other);
    const reservation = { key, version: randomUUID() };
    this.reservations.set(key, { reservation, endMs: performance.now() + reservationMs });
    return reservation;
  }

  async check() {
    return 'users are in memory';
  }

  async close() {}

  /** Why a user cannot be written under a key; undefined if it can. */
  refusal(key, { reservations = [] } = {}) {
    if (this.users.has(key)) return { taken: key };
    const reservation = this.reservations.get(key)?.reservation;
    const isKnown = reservations.some(({ version }) => version === reservation?.version);
    return reservation === undefined || isKnown ? undefined : { taken: key, reservation };
  }

  put(user) {
    const stored = { user, version: randomUUID() };
    this.users.set(keyOf(user.email.address), stored);
    this.reservations.delete(keyOf(user.email.address));
    return stored;
  }
}

export default defineModule({
  port: 'UserStore',
  portVersion: 3,
  type: 'map',
  configuration: block({}),
  open: async () => ({ users: new MapStore() }),
});
