import { expect } from 'chai';
import { type EventValues, StoredEvents } from '../../../../adapters/stores/stored-event.ts';
import type { Log } from '../../../../application/ports/log.ts';

const event = { id: '1-a', destination: 'mail', time: 1, body: '{}', due: 2, attempts: 0, receipt: 'the record' };

describe('stored events', () => {
  let lines: string[];
  const record = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { info: record, warn: record, error: record };
  beforeEach(() => {
    lines = [];
  });

  const damages: { readonly [Name in keyof EventValues]: readonly unknown[] } = {
    id: [undefined, null, 1],
    destination: [undefined, {}],
    time: [undefined, '1', 1.5, -1, Number.NaN, 8.64e15 + 1],
    body: [undefined, { kind: 'canary' }],
    due: [null, Number.POSITIVE_INFINITY, 8.64e15 + 1],
    attempts: [undefined, '0', 0.5],
    receipt: [undefined],
  };
  for (const [name, values] of Object.entries(damages))
    it(`leave out one with a damaged ${name}, name it once and without a value, and keep the others`, () => {
      for (const value of values) {
        lines = [];
        const stored = new StoredEvents(log);
        const other = { ...event, id: '2-b', receipt: 'another record' };
        for (let polls = 0; polls < 3; polls++)
          expect(stored.decode([{ ...event, [name]: value }, other]), String(value)).to.deep.equal([other]);
        expect(lines).to.have.length(1);
        expect(lines[0])
          .to.contain(name === 'receipt' ? event.id : 'the record')
          .and.to.not.contain('canary');
      }
    });

  it('keep those with the last times', () => {
    const last = { ...event, time: 8.64e15, due: 8.64e15 };
    expect(new StoredEvents(log).decode([last])).to.deep.equal([last]);
    expect(lines).to.deep.equal([]);
  });
});
