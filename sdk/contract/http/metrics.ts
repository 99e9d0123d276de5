import { expect } from 'chai';
import { Fault } from '../../../application/fault.ts';
import { InMemoryUserStore } from '../in-memory-user-store.ts';
import { newAddress, newPassword } from './client.ts';
import type { Harness } from './harness.ts';

/** The samples of the metrics, by name and labels. */
const samplesOf = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );

export const scraped = async (adminUrl: string): Promise<{ readonly text: string; at(name: string): number }> => {
  const response = await fetch(`${adminUrl}/metrics`);
  expect(response.status).to.equal(200);
  expect(response.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  const samples = samplesOf(text);
  return { text, at: (name) => samples.get(name) ?? 0 };
};

const requests = (method: string, route: string, status: number, bucket = 'count'): string =>
  `latchkey_http_request_duration_seconds_${bucket}{method="${method}",route="${route}",status="${status}"}`;

/** The metrics of the service. */
export const metrics = (harness: Harness): void => {
  describe('GET /metrics on the admin port', () => {
    it('counts requests by method, route and status, messages by outcome, and calls of adapters', async () => {
      const { client, adminUrl, mailsTo } = await harness.service({ logging: { requests: 'none' } });
      const before = await scraped(adminUrl);
      const account = await client.create();
      await client.read(account);
      await client.get('/users', { query: { email: account.address }, password: newPassword() });
      await client.token(account);
      expect(await mailsTo(account.address)).to.have.lengthOf(1);
      await client.get('/somewhere');
      const after = await scraped(adminUrl);
      const grown = (name: string): number => after.at(name) - before.at(name);
      expect(grown(requests('POST', '/users', 201))).to.equal(1);
      expect(grown(requests('GET', '/users', 200))).to.equal(1);
      expect(grown(requests('GET', '/users', 401))).to.equal(1);
      expect(grown(requests('GET', 'other', 404))).to.equal(1);
      expect(grown(requests('GET', '/users', 200, 'sum'))).to.be.within(0, 10);
      expect(grown('latchkey_bus_messages_total{type="GetUser",outcome="ok"}')).to.equal(1);
      expect(grown('latchkey_bus_messages_total{type="GetUser",outcome="wrong_password"}')).to.equal(1);
      expect(grown('latchkey_store_call_duration_seconds_count{operation="insert"}')).to.equal(1);
      expect(grown('latchkey_store_call_duration_seconds_count{operation="find"}')).to.equal(3);
      expect(grown('latchkey_password_call_duration_seconds_count{operation="verify"}')).to.equal(3);
      expect(grown('latchkey_mails_sent_total')).to.equal(1);
    });

    it('has a sample with value zero for every failure of an adapter from the start', async () => {
      // A separate service without requests.
      const { adminUrl } = await harness.service({ logging: { requests: 'none' }, openApi: { enabled: false } });
      const { text } = await scraped(adminUrl);
      for (const series of [
        'latchkey_store_failures_total{operation="insert",kind="store_unavailable"}',
        'latchkey_mailer_failures_total{operation="send",kind="mail_failed"}',
        'latchkey_password_failures_total{operation="verify",kind="overloaded"}',
        'latchkey_mails_sent_total',
      ]) {
        expect(text).to.include(`\n${series} 0\n`);
      }
    });

    it('has consistent histogram buckets', async () => {
      const { client, adminUrl } = await harness.service({ logging: { requests: 'none' } });
      await client.create();
      const { text, at } = await scraped(adminUrl);
      const buckets = [
        ...text.matchAll(/^latchkey_store_call_duration_seconds_bucket\{le="([^"]+)",operation="insert"\} (\d+)$/gm),
      ];
      const counts = buckets.map(([, , count]) => Number(count));
      expect(counts)
        .to.deep.equal([...counts].sort((a, b) => a - b))
        .and.to.have.lengthOf.above(10);
      expect(buckets.at(-1)?.[1]).to.equal('+Inf');
      expect(counts.at(-1)).to.equal(at('latchkey_store_call_duration_seconds_count{operation="insert"}'));
    });

    // This test needs a store in the same process.
    (harness.takesStores ? it : it.skip)('counts failures by their kind', async () => {
      const store = new InMemoryUserStore();
      const { client, adminUrl } = await harness.serviceOn(store.ports);
      store.fault = new Fault('store_unavailable', 'the store is away');
      await client.get('/users', { query: { email: newAddress() }, password: newPassword() });
      const { at } = await scraped(adminUrl);
      expect(at('latchkey_store_failures_total{operation="find",kind="store_unavailable"}')).to.equal(1);
      expect(at('latchkey_bus_messages_total{type="GetUser",outcome="store_unavailable"}')).to.equal(1);
      expect(at(requests('GET', '/users', 503))).to.equal(1);
    });

    it('has the length of the hash queue, and the event loop lag', async () => {
      const { adminUrl } = await harness.service();
      const { text } = await scraped(adminUrl);
      expect(text).to.match(/^latchkey_password_queue_length 0$/m);
      expect(text).to.match(/^latchkey_password_refused_total 0$/m);
      expect(text).to.match(/^nodejs_eventloop_lag_p99_seconds [\d.e-]+$/m);
      expect(text).to.match(/^process_resident_memory_bytes \d+$/m);
    });
  });
};
