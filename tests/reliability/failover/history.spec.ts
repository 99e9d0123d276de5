import { expect } from 'chai';
import { findViolations, type History, type Outcome, type UserRequest, type UserState } from './history.ts';

const saw = (state: number): Outcome => ({ kind: 'success', state });
const refused: Outcome = { kind: 'wrong password' };
const missing: Outcome = { kind: 'not found' };
const unknown: Outcome = { kind: 'unknown' };

/** State 1 changes a property, state 2 the password, state 3 the address. */
const states: readonly UserState[] = [
  { address: 'a', password: 'first' },
  { address: 'a', password: 'first' },
  { address: 'a', password: 'second' },
  { address: 'b', password: 'second' },
];

const created: UserRequest = { called: 0, answered: 1, credentials: undefined, writes: 0, outcome: saw(0) };
const write = (called: number, answered: number, state: number, outcome = saw(state)): UserRequest => ({
  called,
  answered,
  credentials: state - 1,
  writes: state,
  outcome,
});
const read = (called: number, answered: number, credentials: number, outcome: Outcome): UserRequest => ({
  called,
  answered,
  credentials,
  writes: undefined,
  outcome,
});

describe('the history checker', () => {
  const kinds = (requests: readonly UserRequest[], stored = [3], known = states) => {
    const history: History = { states: known, requests: [created, ...requests], stored };
    return findViolations(history).map(({ kind }) => kind);
  };

  it('accepts reads of the acknowledged state, and of either state while a write runs', () => {
    const writes = [write(10, 20, 1), write(30, 40, 2), write(50, 60, 3)];
    expect(kinds([...writes, read(11, 12, 0, saw(0)), read(13, 14, 0, saw(1)), read(21, 22, 1, saw(1))])).to.deep.equal(
      [],
    );
    expect(
      kinds([...writes, read(31, 32, 1, saw(1)), read(31, 39, 1, refused), read(31, 39, 2, saw(2))]),
    ).to.deep.equal([]);
    expect(
      kinds([...writes, read(41, 42, 1, refused), read(51, 59, 2, missing), read(61, 62, 2, missing)]),
    ).to.deep.equal([]);
  });

  it('reports a read that was called after an acknowledgement and shows an older state', () => {
    expect(kinds([write(10, 20, 1), read(21, 22, 1, saw(0))], [1])).to.deep.equal(['stale read']);
    expect(kinds([write(10, 20, 1), read(19, 22, 1, saw(0))], [1])).to.deep.equal([]);
  });

  it('reports a read that shows an older state than an earlier read', () => {
    const requests = [write(10, 40, 1), read(11, 12, 0, saw(1)), read(13, 14, 0, saw(0))];
    expect(kinds(requests, [1])).to.deep.equal(['stale read']);
  });

  it('reports an old password that is accepted after an acknowledged change, also for a write', () => {
    const changes = [write(10, 20, 1), write(30, 40, 2)];
    expect(kinds([...changes, read(41, 42, 1, saw(1))], [2])).to.deep.equal(['old password accepted']);
    const withOldPassword = { ...write(50, 60, 3), credentials: 1 };
    expect(kinds([...changes, withOldPassword])).to.deep.equal(['old password accepted']);
  });

  it('reports a right password that is refused, and a user who is not found', () => {
    const changes = [write(10, 20, 1), write(30, 40, 2)];
    expect(kinds([...changes, read(41, 42, 2, refused)], [2])).to.deep.equal(['right password refused']);
    expect(kinds([read(2, 3, 0, missing)], [0])).to.deep.equal(['user not found']);
    expect(kinds([...changes, write(50, 60, 3), read(61, 62, 3, missing)])).to.deep.equal(['user not found']);
  });

  it('reports a lost acknowledged write, a lost user and a duplicate', () => {
    expect(kinds([write(10, 20, 1)], [0])).to.deep.equal(['lost write']);
    expect(kinds([], [])).to.deep.equal(['lost write']);
    expect(kinds([write(10, 20, 1)], [1, 1])).to.deep.equal(['duplicate user']);
    expect(kinds([{ ...created, called: 2, answered: 3 }], [0])).to.deep.equal(['duplicate user']);
    expect(kinds([{ ...created, called: 2, answered: 3, outcome: { kind: 'taken' } }], [0])).to.deep.equal([]);
  });

  it('lets a write without an outcome be applied, applied later, or not at all', () => {
    const lost = [write(10, 20, 1), write(30, 40, 2, unknown)];
    expect(
      kinds([...lost, read(41, 42, 1, saw(1)), read(43, 44, 1, refused), read(45, 46, 2, saw(2))], [2]),
    ).to.deep.equal([]);
    expect(kinds([...lost, read(41, 42, 2, refused)], [1])).to.deep.equal([]);
  });

  it('ends the uncertainty about a write with the first observation of it', () => {
    const lost = [write(10, 20, 1), write(30, 40, 2, unknown), read(41, 42, 2, saw(2))];
    expect(kinds([...lost, read(43, 44, 1, saw(1))], [2])).to.deep.equal(['old password accepted']);
    expect(kinds([...lost, read(43, 44, 2, refused)], [2])).to.deep.equal(['right password refused']);
    expect(kinds(lost, [1])).to.deep.equal(['lost write']);
  });

  it('does not expect the state of a write that was refused', () => {
    const changes = [write(10, 20, 1), write(30, 40, 2, refused), read(41, 42, 1, refused)];
    expect(kinds(changes, [1])).to.deep.equal(['right password refused', 'right password refused']);
  });

  it('reports a write that is applied after a settled read showed that it was not', () => {
    const lost = [write(10, 20, 1), write(30, 40, 2, unknown), { ...read(41, 45, 1, saw(1)), settles: true }];
    expect(kinds(lost, [1])).to.deep.equal([]);
    expect(kinds(lost, [2]), 'stored at the end').to.deep.equal(['late write']);
    expect(kinds([...lost, read(46, 47, 2, saw(2))], [2]), 'seen').to.deep.equal(['late write', 'late write']);
    expect(kinds([...lost, read(46, 47, 1, refused)], [1]), 'no longer possible').to.deep.equal([
      'right password refused',
    ]);
    const seen = { ...read(41, 45, 2, saw(2)), settles: true };
    expect(kinds([...lost.slice(0, 2), seen], [2]), 'applied before').to.deep.equal([]);
    const early = { ...read(35, 45, 1, saw(1)), settles: true };
    expect(kinds([...lost.slice(0, 2), early], [2]), 'called before the response to the write').to.deep.equal([]);
  });

  it('accepts a write that is based on the state before a write without an outcome', () => {
    const skipped = { ...write(50, 60, 3), credentials: 1 };
    const known = [...states.slice(0, 3), { address: 'b', password: 'third' }];
    const requests = [write(10, 20, 1), write(30, 40, 2, unknown), skipped];
    expect(kinds([...requests, read(61, 62, 3, saw(3))], [3], known)).to.deep.equal([]);
    expect(kinds([...requests, read(61, 62, 2, saw(2))], [3], known)).to.deep.equal(['old password accepted']);
  });
});
