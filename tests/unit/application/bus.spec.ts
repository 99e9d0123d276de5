import { expect } from 'chai';
import { Bus } from '../../../application/bus.ts';
import type { Interceptor } from '../../../application/interceptor.ts';
import type { UseCase } from '../../../application/use-case.ts';

type Catalogue = {
  readonly Add: UseCase<{ readonly type: 'Add'; readonly by: number }, number>;
  readonly Name: UseCase<{ readonly type: 'Name' }, string>;
};

describe('the bus', () => {
  const seen: string[] = [];
  const around: Interceptor = async (type, next) => {
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
  const bus = new Bus<Catalogue>({ Add: new Adder(), Name: failing }, around);

  beforeEach(() => {
    seen.length = 0;
  });

  it('takes a message to its handler, inside what surrounds every dispatch', async () => {
    expect(await bus.dispatch({ type: 'Add', by: 2 })).to.equal(42);
    expect(seen).to.deep.equal(['before Add', 'Adder', 'after Add']);
  });

  it('passes on what a handler throws', async () => {
    const outcome = await bus.dispatch({ type: 'Name' }).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(RangeError);
    expect(seen).to.deep.equal(['before Name']);
  });
});
