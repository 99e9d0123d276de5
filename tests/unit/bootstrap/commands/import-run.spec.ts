import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { lineOf } from '../../../../adapters/json-lines/user-line.ts';
import { simple } from '../../../../adapters/password-hashes/simple.ts';
import { Fault } from '../../../../application/fault.ts';
import { ImportRun } from '../../../../bootstrap/commands/import-run.ts';
import { userLines } from '../../../../bootstrap/commands/import-source.ts';
import { ImportSummary } from '../../../../bootstrap/commands/import-summary.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import type { User } from '../../../../domain/user.ts';
import { addressOf, userOf } from '../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';
import { InterruptedUserStore } from '../../../support/doubles/interrupted-user-store.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { openService } from '../../application/wired-service.ts';

/** A store whose first insert takes longer than the others, as may happen over a network. */
class OvertakingStore extends InterruptedUserStore {
  private delay = 60;

  override async insert(user: User): ReturnType<InterruptedUserStore['insert']> {
    const mine = this.delay;
    this.delay = 0;
    await sleep(mine);
    return super.insert(user);
  }
}

/** A store that refuses the second insert, while the others take longer. */
class RefusingStore extends OvertakingStore {
  started = 0;
  ended = 0;

  override async insert(user: User): ReturnType<InterruptedUserStore['insert']> {
    if (++this.started === 2) throw new Fault('store_rejected', 'no');
    const written = await super.insert(user);
    this.ended++;
    return written;
  }
}

const noProgress = { update: () => undefined, end: () => undefined };

const linesOf = (users: readonly User[]) =>
  userLines.split(
    (async function* () {
      yield Buffer.from(users.map(lineOf).join('\n'));
    })(),
  );

describe('an import that the store refuses', () => {
  it('ends after the inserts in progress, so that none of them meets a closed store', async () => {
    const store = new RefusingStore();
    const { commands } = await openService({ store, hash: await simple.open({}, silentContext) });
    const summary = await ImportSummary.create('line', undefined);
    const run = new ImportRun(userLines, commands, { hash: false, dryRun: false, from: 1 }, summary, noProgress);
    const users = ['jane', 'joe', 'ann'].map((name) => userOf(`${name}@example.com`));
    expect(await rejection(run.importAll(linesOf(users)))).to.have.property('code', 'store_rejected');
    expect([store.started, store.ended]).to.deep.equal([3, 2]);
    expect(run.next).to.equal(1);
    expect(summary.lines(false), 'those that are stored').to.deep.equal(['ok    imported: 2']);
  });
});

/** A store in which the record of an address is damaged. */
class DamagedStore extends InterruptedUserStore {
  override async insert(user: User): ReturnType<InterruptedUserStore['insert']> {
    const { address } = user.email;
    if (address !== 'joe@example.com') return super.insert(user);
    throw new Fault('store_rejected', 'a stored user has no readable password', { record: address });
  }
}

describe('an import of a user whose address has a damaged record', () => {
  it('names the record in its report, and stores all others', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-import-'));
    try {
      const report = join(folder, 'report.jsonl');
      const { commands } = await openService({ store: new DamagedStore(), hash: await simple.open({}, silentContext) });
      const summary = await ImportSummary.create('line', report);
      const run = new ImportRun(userLines, commands, { hash: false, dryRun: false, from: 1 }, summary, noProgress);
      const users = ['jane', 'joe', 'joe', 'ann'].map((name) => userOf(`${name}@example.com`));
      expect(await run.importAll(linesOf(users))).to.equal(true);
      await summary.close();
      expect(summary.hasErrors).to.equal(true);
      expect(summary.lines(false)).to.deep.equal([
        'ok    imported: 2',
        'FAIL  damaged_record: 2 (lines 2, 3): repair or delete the records of the database that --report names',
      ]);
      const [line = ''] = (await readFile(report, 'utf8')).split('\n');
      expect(JSON.parse(line)).to.deep.equal({
        line: 2,
        address: 'joe@example.com',
        result: 'failed',
        code: 'damaged_record',
        errors: [
          {
            path: 'email',
            message: 'the record joe@example.com is damaged (a stored user has no readable password)',
          },
        ],
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('an import of two lines with one address', () => {
  it('stores the first, even if the second insert would be faster', async () => {
    const store = new OvertakingStore();
    const users = [userOf('jane@example.com'), userOf('Jane@Example.com'), userOf('joe@example.com')];
    const { commands } = await openService({ store, hash: await simple.open({}, silentContext) });
    const summary = await ImportSummary.create('line', undefined);
    const run = new ImportRun(userLines, commands, { hash: false, dryRun: false, from: 1 }, summary, noProgress);

    expect(await run.importAll(linesOf(users))).to.equal(true);
    expect(summary.lines(false)).to.deep.equal(['ok    imported: 2', 'skip  user_exists: 1 (line 2)']);
    const stored = await store.find(keyOf(addressOf('jane@example.com')));
    expect(stored?.user.email.address).to.equal('jane@example.com');
  });
});

describe('the summary of an import', () => {
  it('counts existing users who do not have the id of the file by themselves, and not as errors', async () => {
    const summary = await ImportSummary.create('line', undefined);
    const exists = { code: 'user_exists', address: 'jane@example.com' };
    await summary.add(1, exists);
    await summary.add(2, { ...exists, errors: [{ path: 'id', message: 'the user has another id' }] });
    expect(summary.hasErrors).to.equal(false);
    expect(summary.lines(false).slice(1)).to.deep.equal([
      'skip  user_exists: 1 (line 1)',
      'skip  user_exists without this id: 1 (line 2)',
    ]);
  });

  it('counts members by their names, of which it keeps a limited number', async () => {
    const summary = await ImportSummary.create('record', undefined);
    const address = 'jane@example.com';
    for (let number = 1; number <= 1_000; number++)
      await summary.add(number, { address, leftOut: [`other_members.m${number}`] });
    await summary.add(1_001, { address, leftOut: ['other_members.m1'] });
    const lines = summary.lines(false);
    expect(lines).to.have.lengthOf(102);
    expect(lines[1]).to.equal('warn  not carried over: other_members.m1: 2 (records 1, 1001)');
    expect(lines.at(-1)).to.match(/^warn {2}not carried over: other_members: 900 \(records 101, 102, /);
  });
});
