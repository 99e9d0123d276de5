import { expect } from 'chai';
import { disturbanceBetween } from '../../../benchmarks/quiet.ts';

describe('figures of a benchmark', () => {
  const at = (perSecond: number, disturbance?: string) => ({ perSecond, disturbance });

  it('are reliable if the machine had about the same speed before and after', () => {
    expect(disturbanceBetween(at(70_110), at(77_270))).to.equal(undefined);
  });

  it('are unreliable if its speed changed, in either direction', () => {
    const changed = 'the speed of this machine changed: it gave 37739, then 20296 fixed responses per second';
    expect(disturbanceBetween(at(37_739), at(20_296))).to.equal(changed);
    expect(disturbanceBetween(at(20_296), at(37_739))).to.include('changed');
  });

  it('are unreliable if something disturbed it before or after', () => {
    expect(disturbanceBetween(at(0, 'a pause'), at(70_000))).to.equal('a pause');
    expect(disturbanceBetween(at(70_000), at(0, 'a pause'))).to.equal('a pause');
  });
});
