import { expect } from 'chai';
import {
  currentFormat,
  type FormatMark,
  formatWithoutNames,
  StoredFormat,
} from '../../../../adapters/stores/stored-format.ts';
import { Fault } from '../../../../application/fault.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';

const now = Date.UTC(2030, 0);

/** A format over a mark in memory, and the mark. */
const formatOf = (
  found: { format: unknown; time: unknown } | undefined,
  { readOnly = false, fails = false, keepsNames = false } = {},
) => {
  const written: FormatMark[] = [];
  const clock = new ManualClock(now);
  const format = new StoredFormat({
    place: 'database users',
    readOnly,
    keepsNames,
    clock,
    read: async () => found,
    write: async (mark) => {
      written.push(mark);
      if (fails) throw new Error('refused');
    },
  });
  return { format, written, clock };
};

describe('the format of a database', () => {
  it('is written once, with the time from which the age of waiting events counts', async () => {
    const { format, written, clock } = formatOf(undefined);
    await format.check();
    clock.time += 1;
    await format.check();
    expect(written).to.deep.equal([{ format: formatWithoutNames, time: now }]);
    expect(await format.mayExpire(now)).to.equal(false);
    expect(await format.mayExpire(now + 1)).to.equal(true);
  });

  it('is raised where users have names, because former versions would drop them, and keeps its time', async () => {
    const { format, written } = formatOf({ format: formatWithoutNames, time: 1 }, { keepsNames: true });
    await format.check();
    expect(written).to.deep.equal([{ format: currentFormat, time: 1 }]);
    expect(format.describe()).to.equal(undefined);
  });

  it('stays raised where users no longer have names', async () => {
    const { format, written } = formatOf({ format: currentFormat, time: 1 });
    await format.check();
    expect(written).to.deep.equal([]);
    expect(format.describe()).to.equal(undefined);
  });

  it('says before that it is raised where users have names', async () => {
    const { format } = formatOf({ format: formatWithoutNames, time: 1 }, { keepsNames: true, readOnly: true });
    await format.check();
    expect(format.describe()).to.match(/marks it with the format 2, and versions that know a lower one refuse it$/);
  });

  it('is not written over the mark of this version, whose time counts', async () => {
    const { format, written } = formatOf({ format: currentFormat, time: 1 });
    expect(await format.mayExpire(2)).to.equal(true);
    expect(written).to.deep.equal([]);
  });

  it('is not written where nothing may be changed', async () => {
    const { format, written } = formatOf(undefined, { readOnly: true });
    await format.check();
    expect(written).to.deep.equal([]);
    expect(format.describe()).to.include('the service marks it');
  });

  it('refuses every call once that of a newer version was found', async () => {
    const { format } = formatOf({ format: currentFormat + 1, time: 1 });
    format.throwIfNewer();
    const fault = await format.check().catch((error: unknown) => error);
    expect(fault).to.be.instanceOf(Fault).and.include({ code: 'store_rejected' });
    expect(() => format.throwIfNewer()).to.throw(Fault, /written by a newer version/);
  });

  it('counts in the memory of this process, and is written again, if the database refuses it', async () => {
    const { format, written } = formatOf(undefined, { fails: true });
    await format.check();
    await format.check();
    expect(written).to.have.lengthOf(2);
    expect(written[1]).to.deep.equal(written[0]);
  });

  for (const damaged of [
    { format: 'two', time: 1 },
    { format: currentFormat, time: Number.NaN },
  ])
    it(`that is damaged is not taken for that of another version: ${JSON.stringify(damaged)}`, async () => {
      const { format } = formatOf(damaged);
      await format.check();
      expect(await format.mayExpire(now)).to.equal(false);
      expect(await format.mayExpire(now + 1)).to.equal(true);
    });
});
