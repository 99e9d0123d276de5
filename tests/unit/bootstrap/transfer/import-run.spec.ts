import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { linesOf } from '../../../../adapters/json-lines/lines.ts';
import { lineOf } from '../../../../adapters/json-lines/user-line.ts';
import { userLimits } from '../../../../adapters/kit/user-json.ts';
import { simple } from '../../../../adapters/password-hashes/simple.ts';
import { MemoryUserStore } from '../../../../adapters/stores/memory/memory-user-store.ts';
import { ImportUserHandler } from '../../../../application/commands/import-user.ts';
import { ImportRun } from '../../../../bootstrap/transfer/import-run.ts';
import { Tally } from '../../../../bootstrap/transfer/tally.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import type { User } from '../../../../domain/user.ts';
import { addressOf, userOf } from '../../../support/arbitraries.ts';
import { silentContext } from '../../../support/doubles/silent-tools.ts';

/** A store where the later of two inserts may be the faster, as over a network. */
class OvertakingStore extends MemoryUserStore {
  private delay = 60;

  override async insert(user: User): ReturnType<MemoryUserStore['insert']> {
    const mine = this.delay;
    this.delay = 0;
    await pause(mine);
    return super.insert(user);
  }
}

describe('an import of two lines with one address', () => {
  it('stores the first, also where the second would be faster', async () => {
    const store = new OvertakingStore();
    const users = [userOf('jane@example.com'), userOf('Jane@Example.com'), userOf('joe@example.com')];
    const handler = new ImportUserHandler(store, await simple.open({}, silentContext), userLimits(null));
    const tally = await Tally.begin(undefined);
    const silent = { at: () => undefined, end: () => undefined };
    const run = new ImportRun(handler, { hash: false, isTrial: false, fromLine: 1 }, tally, silent);

    const bytes = async function* () {
      yield Buffer.from(users.map(lineOf).join('\n'));
    };
    expect(await run.over(linesOf(bytes()))).to.equal(true);
    expect(tally.lines(false)).to.deep.equal(['ok    imported: 2', 'skip  user_exists: 1 (line 2)']);
    const stored = await store.find(keyOf(addressOf('jane@example.com')));
    expect(stored?.user.email.address).to.equal('jane@example.com');
  });
});
