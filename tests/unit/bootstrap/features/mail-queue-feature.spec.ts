import { expect } from 'chai';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import { DisabledMailer, type Mailer } from '../../../../application/ports/mailer.ts';
import type { StorePorts } from '../../../../application/ports/user-store.ts';
import { policiesOf, wire } from '../../../../bootstrap/container.ts';
import { languages, mailQueue, openFeatures } from '../../../../bootstrap/features/index.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
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

const now = 1_800_000_000_000;

const contextOf = async (blocks: object, store: StorePorts, mailer: Mailer = new DisabledMailer()) => {
  const configuration = await configured(JSON.stringify({ ...complete, ...blocks }));
  const hash = await sha256.open({}, silentContext);
  const { log } = silentContext;
  const adapters = { store, hash, mailer, clock: new ManualClock(now), newToken: sequentialTokens(), log };
  return { configuration, adapters, log };
};

/** The refusal of options that queue mails, in a database without an outbox. */
const refusalOf = async (blocks: object): Promise<unknown> => {
  const { events: _, ...store } = new InMemoryUserStore().ports;
  return rejection(openFeatures(await contextOf(blocks, store), [mailQueue]));
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

describe('the queue of mails of an instance without notices', () => {
  it('limits the notices that other instances store', async () => {
    const mailer = new DisabledMailer();
    let sent = 0;
    mailer.send = async () => void sent++;
    const context = await contextOf({ email: { type: 'outbox', queue: true } }, new InMemoryUserStore().ports, mailer);
    const features = await openFeatures(context, [languages, mailQueue]);
    const services = wire(context.adapters, policiesOf(context.configuration), features);
    const groups = await Promise.all(features.map((feature) => feature.deliveries?.(services) ?? []));
    const [delivery] = groups.flat().flatMap(({ targets }) => targets);
    const request = {
      kind: 'passwordNotice',
      to: addressOf('jane@example.com'),
      locale: 'en',
      secret: '',
      expires: null,
    } as const;
    const event = { ...services.mailQueue.prepare(request), attempts: 1, receipt: '' };
    const outcomes: (string | undefined)[] = [];
    for (let n = 0; n < 12; n++) outcomes.push((await delivery?.send(event, now))?.outcome);
    expect(outcomes).to.deep.equal([...Array<string>(10).fill('delivered'), 'limited', 'limited']);
    expect(sent).to.equal(10);
    for (const { close } of features) await close?.();
  });
});
