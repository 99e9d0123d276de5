import { expect } from 'chai';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import { DisabledMailer } from '../../../../application/ports/mailer.ts';
import { mailQueue, openFeatures } from '../../../../bootstrap/features/index.ts';
import { InMemoryUserStore } from '../../../../sdk/contract/in-memory-user-store.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';
import { sequentialTokens } from '../../../support/doubles/sequential-tokens.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { configured } from '../configuration/read-configuration.ts';

const complete = {
  server: { publicUrl: 'https://users.example.com' },
  database: { type: 'sqlite' },
  email: { type: 'outbox' },
  passwordHash: { algorithm: 'argon2', serverSideHash: true },
};

/** The refusal of options that queue mails, in a database without an outbox. */
const refusalOf = async (blocks: object): Promise<unknown> => {
  const configuration = await configured(JSON.stringify({ ...complete, ...blocks }));
  const { events: _, ...store } = new InMemoryUserStore().ports;
  const adapters = {
    store,
    hash: await sha256.open({}, silentContext),
    mailer: new DisabledMailer(),
    clock: new ManualClock(1_800_000_000_000),
    newToken: sequentialTokens(),
    log: silentContext.log,
  };
  return rejection(openFeatures({ configuration, adapters, log: silentContext.log }, [mailQueue]));
};

describe('queued mails in a database that cannot store them', () => {
  const admin = { createUsers: true, keys: [{ application: 'ada', secret: 'a secret of the administrator Ada' }] };
  const refused: Readonly<Record<string, readonly [blocks: object, path: string, remedy: string]>> = {
    invitations: [{ invitations: {}, admin }, 'invitations', 'remove the block'],
    recoveries: [{ recovery: {} }, 'recovery', 'write deliver: caller'],
    notices: [{ notices: ['password'] }, 'notices', 'write notices: []'],
    'verification mails': [{ email: { type: 'outbox', queue: true } }, 'email.queue', 'write queue: false'],
    'changes of address': [
      { email: { type: 'outbox', confirmChange: true } },
      'email.confirmChange',
      'write confirmChange: false',
    ],
  };
  for (const [name, [blocks, path, remedy]] of Object.entries(refused))
    it(`are refused with the option and what to write instead: ${name}`, async () => {
      expect(await refusalOf(blocks))
        .to.have.property('message')
        .that.includes(`${path}: the database of type sqlite cannot store mails; ${remedy}, or use another database`);
    });
});
