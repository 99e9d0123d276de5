import { expect } from 'chai';
import type { AttemptLimits } from '../../../../application/ports/attempt-counter.ts';
import type { StorePorts } from '../../../../application/ports/user-store.ts';
import { openAdapters } from '../../../../bootstrap/service/adapters.ts';
import { startPublicService } from '../../../../bootstrap/service.ts';
import { InMemoryUserStore } from '../../../../sdk/contract/in-memory-user-store.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { configured } from '../configuration/read-configuration.ts';

/** A store as another package may write it: its ports are members of a class. */
class StoreOfClass implements StorePorts {
  private readonly ports = new InMemoryUserStore().ports;
  readonly counted: AttemptLimits[] = [];

  get users() {
    return this.ports.users;
  }

  attempts(limits: AttemptLimits) {
    this.counted.push(limits);
    return new InMemoryUserStore().ports.attempts?.(limits) ?? Promise.reject(new TypeError('counts in memory'));
  }
}

describe('the adapters of a service', () => {
  it('make verification tokens that are random UUIDs: 122 bits that cannot be predicted', async () => {
    const { newToken } = await openAdapters(await configured('database: {type: memory}'), silentContext.log);
    const tokens = Array.from({ length: 2_000 }, () => newToken());
    for (const token of tokens) {
      expect(token).to.match(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    }
    // At every place that is not fixed each digit turns up, which a counter or a clock would not do.
    const places = [...(tokens[0] ?? '')].map((_, at) => new Set(tokens.map((token) => token[at])).size);
    const free = places.filter((_, at) => ![8, 13, 14, 18, 19, 23].includes(at));
    expect(new Set(free)).to.deep.equal(new Set([16]));
    expect(new Set(tokens)).to.have.property('size', 2_000);
  });

  for (const [what, close] of [
    [
      'throws',
      () => {
        throw new TypeError('closed');
      },
    ],
    ['never ends', () => new Promise<void>(() => {})],
  ] as const)
    it(`say why they cannot be opened, although closing the others ${what}`, async () => {
      const configuration = await configured('database: {type: memory}');
      const store = new InMemoryUserStore().ports;
      const users = Object.assign(Object.create(store.users), { close });
      const database = { ...configuration.database, open: async () => ({ ...store, users }) };
      const passwordHash = { ...configuration.passwordHash, open: () => Promise.reject(new RangeError('no hash')) };
      const opening = openAdapters({ ...configuration, database, passwordHash }, silentContext.log);
      expect(await opening.catch((error: unknown) => error)).to.be.instanceOf(RangeError);
    });

  it('may be a store whose ports are members of a class', async () => {
    const configuration = await configured(
      'database: {type: memory}\nserver: {host: 127.0.0.1, port: 0}\nthrottle: {failures: 7}',
    );
    const store = new StoreOfClass();
    const database = { ...configuration.database, open: async () => store };
    const warnings: string[] = [];
    const log = { ...silentContext.log, warn: (_: object, message: string) => void warnings.push(message) };
    const service = await startPublicService({ ...configuration, database }, log);
    await service.stop();
    expect(store.counted.map(({ failures }) => failures)).to.deep.equal([7]);
    expect(warnings).to.deep.equal([]);
  });
});
