import { expect } from 'chai';
import { type Interceptor, intercept, withTimeout } from '../../../application/interceptor.ts';
import { rejection } from '../../../sdk/contract/outcomes.ts';

const late = () => new Error('late');
const never = new Promise<never>(() => {});

/** How many timers keep the process alive, once the one of the test itself has been set. */
const timers = async (): Promise<number> => {
  await new Promise((resolve) => setImmediate(resolve));
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
};

describe('withTimeout', () => {
  it('resolves with the result, and leaves no timer', async () => {
    const before = await timers();
    expect(await withTimeout(60_000, Promise.resolve('done'), late)).to.equal('done');
    expect(await timers()).to.equal(before);
  });

  it('leaves no timer after work that takes several turns of the event loop', async () => {
    const before = await timers();
    const work = new Promise<string>((resolve) => {
      setImmediate(() => setImmediate(() => resolve('done')));
    });
    expect(await withTimeout(60_000, work, late)).to.equal('done');
    expect(await timers()).to.equal(before);
  });

  it('rejects with the error of the work, and leaves no timer', async () => {
    const before = await timers();
    expect(await rejection(withTimeout(60_000, Promise.reject(new Error('broken')), late))).to.include({
      message: 'broken',
    });
    expect(await timers()).to.equal(before);
  });

  it('rejects after the timeout', async () => {
    expect(await rejection(withTimeout(5, never, late))).to.include({ message: 'late' });
  });

  it('counts the rest of the turn of the event loop in which it was called', async () => {
    const outcome = withTimeout(200, never, late).catch(({ message }: Error) => message);
    const blockedUntil = performance.now() + 250;
    while (performance.now() < blockedUntil);
    const later = new Promise((resolve) => setTimeout(resolve, 150, 'not yet'));
    expect(await Promise.race([outcome, later])).to.equal('late');
  });

  it('handles a rejection after the timeout', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    try {
      let fail = (_: Error): void => {};
      const work = new Promise<never>((_, reject) => {
        fail = reject;
      });
      await rejection(withTimeout(1, work, late));
      fail(new Error('afterwards'));
      // Unhandled rejections are reported once the microtasks are done.
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).to.deep.equal([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});
/** Private state shows whether methods run on the object itself. */
class Account {
  #balance = 0;

  async deposit(amount: number, bonus = 0): Promise<number> {
    this.#balance += amount + bonus;
    return this.#balance;
  }

  async withdraw(amount: number): Promise<number> {
    if (amount > this.#balance) throw new RangeError('too much');
    return this.deposit(-amount);
  }

  balance(): number {
    return this.#balance;
  }
}

describe('intercept', () => {
  let operations: string[];
  let account: Account;
  let intercepted: Account;

  const record: Interceptor = (operation, next) => {
    operations.push(operation);
    return next();
  };

  beforeEach(() => {
    operations = [];
    account = new Account();
    intercepted = intercept(account, { deposit: true, withdraw: false, balance: false }, record);
  });

  it('passes the name of each intercepted call to the interceptor', async () => {
    expect(await intercepted.deposit(10)).to.equal(10);
    expect(await intercepted.deposit(10, 5)).to.equal(25);
    expect(operations).to.deep.equal(['deposit', 'deposit']);
  });

  it('calls all other methods directly', async () => {
    await intercepted.deposit(10);
    expect(await intercepted.withdraw(4)).to.equal(6);
    expect(intercepted.balance()).to.equal(6);
    expect(operations).to.deep.equal(['deposit']);
  });

  it('shares the state of the port, and does not intercept calls that the port makes itself', async () => {
    await account.deposit(10);
    await intercepted.withdraw(1);
    expect(account.balance()).to.equal(9);
    expect(operations).to.deep.equal([]);
  });

  it('returns what the interceptor returns, and rejects with the error of the port', async () => {
    const doubled: Interceptor = async (_operation, next) => {
      await next();
      return next();
    };
    const twice = intercept(account, { deposit: true, withdraw: true, balance: false }, doubled);
    expect(await twice.deposit(10)).to.equal(20);
    expect(await rejection(twice.withdraw(100))).to.be.instanceOf(RangeError);
  });

  it('keeps the class of the port', () => {
    expect(intercepted).to.be.instanceOf(Account);
  });

  it('compiles only for asynchronous methods, and only with all methods', () => {
    // @ts-expect-error: balance is synchronous
    intercept(account, { deposit: true, withdraw: true, balance: true }, record);
    // @ts-expect-error: withdraw is missing
    intercept(account, { deposit: true, balance: false }, record);
  });
});
