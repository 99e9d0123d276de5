import { expect } from 'chai';
import { Bus, type UseCase } from '../../../application/bus.ts';
import type { Interceptor } from '../../../application/interceptor.ts';

type Catalogue = {
  readonly Add: UseCase<{ readonly type: 'Add'; readonly by: number }, number>;
  readonly Name: UseCase<{ readonly type: 'Name' }, string>;
};

describe('the bus', () => {
  const seen: string[] = [];
  const interceptor: Interceptor = async (type, next) => {
    seen.push(`before ${type}`);
    const result = await next();
    seen.push(`after ${type}`);
    return result;
  };
  class Adder {
    private readonly start = 40;
    async handle({ by }: { readonly by: number }): Promise<number> {
      seen.push('Adder');
      return this.start + by;
    }
  }
  const failing = {
    handle: async (): Promise<string> => {
      throw new RangeError('no name');
    },
  };
  const bus = new Bus<Catalogue>({ Add: new Adder(), Name: failing }, interceptor);

  beforeEach(() => {
    seen.length = 0;
  });

  it('passes a message to its handler, inside the interceptor', async () => {
    expect(await bus.dispatch({ type: 'Add', by: 2 })).to.equal(42);
    expect(seen).to.deep.equal(['before Add', 'Adder', 'after Add']);
  });

  it('rejects with the error of a handler', async () => {
    const outcome = await bus.dispatch({ type: 'Name' }).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(RangeError);
    expect(seen).to.deep.equal(['before Name']);
  });
});
