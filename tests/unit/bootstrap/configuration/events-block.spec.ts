import { expect } from 'chai';
import { eventTypes } from '../../../../application/outgoing/domain-events.ts';
import { configured, database, problemsOf } from './read-configuration.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const withWebhooks = (webhooks: unknown): string => `${database}\nevents: ${JSON.stringify({ webhooks })}`;

describe('the block events', () => {
  it('is undefined when it is absent', async () => {
    expect((await configured(database)).events).to.equal(undefined);
  });

  it('sends all types by default, to a destination that does not depend on the secret', async () => {
    const url = 'https://example.com/hook?for=me';
    const events = async (entry: object) => (await configured(withWebhooks([{ url, secret, ...entry }]))).events;
    const [webhook] = (await events({}))?.webhooks ?? [];
    expect(webhook).to.deep.include({ url, secrets: [{ secret, expires: null, option: 'events.webhooks[0].secret' }] });
    expect(webhook?.types).to.deep.equal(eventTypes);
    expect(webhook?.destination).to.match(/^[0-9a-f]{16}$/);
    const other = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
    const [again] = (await events({ secret: other, types: ['user.deleted'] }))?.webhooks ?? [];
    expect(again).to.deep.include({ destination: webhook?.destination, types: ['user.deleted'] });
  });

  it('replaces placeholders in secrets', async () => {
    process.env.EVENTS_SPEC_SECRET = secret;
    try {
      const webhooks = [{ url: 'http://localhost:3000', secret: '${EVENTS_SPEC_SECRET}' }];
      expect((await configured(withWebhooks(webhooks))).events?.webhooks[0]?.secrets[0]?.secret).to.equal(secret);
    } finally {
      delete process.env.EVENTS_SPEC_SECRET;
    }
  });

  it('reports every problem, without values', async () => {
    const problems = await problemsOf(
      withWebhooks([
        { url: 'ftp://example.com', secret: 'private' },
        { url: 'https://user:private@example.com', secret: `whsec_${Buffer.alloc(23).toString('base64')}` },
        { url: 'https://example.com#private', secret: `whsec_${Buffer.alloc(65).toString('base64')}`, types: [] },
        { url: 'private', secret: 'whsec_not base64', types: ['user.renamed'], secrets: 1, sekret: 1 },
        {},
        { url: 'https://example.com' },
      ]),
    );
    expect(problems.map((problem) => problem.replace(/(: \w+ \w+).*/, '$1'))).to.deep.equal([
      'events.webhooks[0].url: expected an',
      'events.webhooks[0].secret: expected a',
      'events.webhooks[1].url: expected an',
      'events.webhooks[1].secret: expected a',
      'events.webhooks[2].url: expected an',
      'events.webhooks[2].secret: expected a',
      'events.webhooks[2].types: is empty',
      'events.webhooks[3].url: expected an',
      'events.webhooks[3].secret: expected a',
      'events.webhooks[3].secrets: expected a',
      'events.webhooks[3].types[0]: expected one',
      'events.webhooks[3].sekret: unknown key',
      'events.webhooks[4].url: is required',
      'events.webhooks[5].secret: is required',
    ]);
    expect(problems.join()).to.not.include('private');
  });

  it('takes two secrets, of which one does not expire', async () => {
    const url = 'https://example.com';
    const next = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    const entries = [{ secret, expires: '2030-01-31' }, { secret: next }];
    const { events } = await configured(withWebhooks([{ url, secrets: entries }]));
    expect(events?.webhooks[0]?.secrets).to.eql([
      { secret, expires: Date.UTC(2030, 0, 31), option: 'events.webhooks[0].secrets[0]' },
      { secret: next, expires: null, option: 'events.webhooks[0].secrets[1]' },
    ]);
    expect(await problemsOf(withWebhooks([{ url, secrets: entries.slice(0, 1) }]))).to.eql([
      'events.webhooks[0].secrets: expected one without expires, so that events can always be signed',
    ]);
    expect(await problemsOf(withWebhooks([{ url, secrets: [{ secret: 'private' }] }]))).to.have.lengthOf(1);
  });

  it('keeps events for 7 days by default, also without webhooks', async () => {
    expect((await configured(withWebhooks([]))).events).to.deep.equal({ webhooks: [], maxAgeMs: 7 * 86_400_000 });
    const short = `${database}\nevents: { webhooks: [], maxAge: 36h }`;
    expect((await configured(short)).events?.maxAgeMs).to.equal(36 * 3_600_000);
    expect(await problemsOf(short.replace('36h', '999ms'))).to.deep.equal(['events.maxAge: expected at least 1s']);
  });

  it('refuses more than 20 webhooks, and two with the same URL', async () => {
    const webhook = (n: number) => ({ url: `https://example.com/${n}`, secret });
    const many = Array.from({ length: 21 }, (_, n) => webhook(n));
    expect(await problemsOf(withWebhooks(many))).to.deep.equal(['events.webhooks: expected at most 20 webhooks']);
    expect(await problemsOf(withWebhooks([webhook(1), webhook(1)]))).to.deep.equal([
      'events.webhooks: has two entries with the same url; merge them, with the types of both',
    ]);
  });
});
