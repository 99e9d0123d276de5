import { randomUUID } from 'node:crypto';
import { block, defineModule, keyOf, reservationMs, UserStore } from 'latchkey/ports';

const keysOf = ({ user, names = [] }) => [keyOf(user.email.address), ...names];

class MapStore extends UserStore {
  /** Users by their addresses and names. */
  users = new Map();
  reservations = new Map();

  async find(key) {
    return this.users.get(key);
  }

  async insert(user, { names, reservations } = {}) {
    return this.write(undefined, { user, names }, reservations);
  }

  async replace(previous, user, { names, reservations } = {}) {
    const current = this.current(previous);
    return current === undefined ? 'stale' : this.write(current, { user, names }, reservations);
  }

  async remove(previous) {
    const current = this.current(previous);
    if (current === undefined) return 'stale';
    for (const key of keysOf(current)) this.users.delete(key);
    return 'removed';
  }

  async reserve(key) {
    if (this.users.has(key)) return 'taken';
    const reservation = { key, version: randomUUID() };
    this.reservations.set(key, reservation);
    setTimeout(() => {
      if (this.reservations.get(key) === reservation) this.reservations.delete(key);
    }, reservationMs).unref();
    return reservation;
  }

  async check() {
    return 'users are in memory';
  }

  async close() {}

  /** The stored user; undefined if its version has changed or is gone. */
  current({ user, version }) {
    const stored = this.users.get(keyOf(user.email.address));
    return stored?.version === version ? stored : undefined;
  }

  write(current, { user, names = [] }, reservations = []) {
    const next = { user, version: randomUUID(), ...(names.length > 0 && { names }) };
    for (const taken of keysOf(next)) {
      const holder = this.users.get(taken);
      if (holder !== undefined && holder !== current) return { taken };
      const reservation = this.reservations.get(taken);
      if (reservation !== undefined && !reservations.some(({ version }) => version === reservation.version))
        return { taken, reservation };
    }
    if (current !== undefined) for (const key of keysOf(current)) this.users.delete(key);
    for (const key of keysOf(next)) {
      this.users.set(key, next);
      this.reservations.delete(key);
    }
    return next;
  }
}

export default defineModule({
  port: 'UserStore',
  portVersion: 3,
  type: 'map',
  configuration: block({}),
  open: async () => {
    const users = new MapStore();
    return { users, names: { find: (name) => users.find(name) } };
  },
});
