import { expect } from 'chai';
import { findUnexplained, type Operation } from './linearizability-checker.ts';

/** Operations on a register that holds a number. */
const write = (called: number, answered: number, value: number): Operation<number> => ({
  called,
  answered,
  apply: () => value,
  text: `write ${value}`,
});
const read = (called: number, answered: number, value: number): Operation<number> => ({
  called,
  answered,
  apply: (state) => (state === value ? state : undefined),
  text: `read ${value}`,
});

describe('the linearizability checker', () => {
  const explained = (...operations: Operation<number>[]) => findUnexplained(operations, 0, String) === undefined;

  it('accepts overlapping operations that some order explains', () => {
    expect(explained(write(0, 10, 1), read(1, 2, 0), read(3, 4, 1), read(5, 6, 1))).to.equal(true);
    expect(explained(write(0, 10, 1), write(0, 10, 2), read(11, 12, 1))).to.equal(true);
    expect(explained(write(0, 10, 1), write(0, 10, 2), read(11, 12, 2))).to.equal(true);
  });

  it('rejects a lost write, a stale read, and two readers that disagree about the order', () => {
    expect(explained(write(0, 1, 1), read(2, 3, 0))).to.equal(false);
    expect(explained(write(0, 10, 1), read(1, 2, 1), read(3, 4, 0))).to.equal(false);
    expect(explained(write(0, 9, 1), write(0, 9, 2), read(10, 11, 1), read(12, 13, 2))).to.equal(false);
  });

  it('handles ten thousand operations', () => {
    const operations = Array.from({ length: 5000 }, (_, index) => [
      write(index * 2, index * 2 + 3, index),
      read(index * 2 + 1, index * 2 + 3, index),
    ]).flat();
    expect(explained(...operations)).to.equal(true);
  });
});
