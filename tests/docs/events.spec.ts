import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { EventRelay } from '../../adapters/delivery/event-relay.ts';
import { MemoryEventOutbox } from '../../adapters/stores/memory/memory-event-outbox.ts';
import { WebhookClient } from '../../adapters/webhooks/webhook-client.ts';
import { eventTypes } from '../../application/outgoing/domain-events.ts';
import { newWebhookSecret } from '../../sdk/contract/http/webhook-receiver.ts';
import { ManualClock } from '../support/doubles/manual-clock.ts';
import { silentContext } from '../support/doubles/silent-context.ts';
import { eventually } from '../support/eventually.ts';
import { textOf } from './documents.ts';
import { fencedBlocksOf } from './fenced-blocks.ts';

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });

describe('docs/events.md', () => {
  it('shows a receiver that accepts only events signed with its secret', async function () {
    this.timeout(30_000);
    const code = fencedBlocksOf('events.md').find(({ language }) => language === 'js')?.text ?? '';
    expect(code.trim().split('\n').length).to.be.at.most(20);
    const port = await freePort();
    const secret = newWebhookSecret();
    const environment = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret };
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const url = `http://127.0.0.1:${port}/`;
    const queue = new MemoryEventOutbox();
    const now = Date.now();
    const webhooks = [
      { destination: 'right', url, secrets: [{ secret, expires: null }] },
      { destination: 'wrong', url, secrets: [{ secret: newWebhookSecret(), expires: null }] },
    ];
    const relay = new EventRelay(
      webhooks.map((webhook) => new WebhookClient(webhook)),
      queue,
      new ManualClock(now),
      silentContext.log,
    );
    try {
      await eventually(() => fetch(url), 10_000);
      const body = JSON.stringify({ type: 'user.created', data: { email: { address: 'jane@example.com' } } });
      await queue.add([{ id: 'evt-1', destination: 'right', time: now, body }]);
      await queue.add([{ id: 'evt-2', destination: 'wrong', time: now, body }]);
      relay.start();
      await eventually(async () => expect(output).to.equal('evt-1 user.created jane@example.com\n'), 10_000);
      // The receiver prints the event before it responds.
      await eventually(async () => expect(await queue.pending('right', 1)).to.equal(0), 10_000);
      expect(await queue.pending('wrong', 1)).to.equal(1);
    } finally {
      await relay.stop(1_000);
      child.kill();
    }
  });

  it('names every type', () => {
    const named = [
      ...textOf('docs/events.md').matchAll(/^\| `((?:user|password|address|verification|recovery|mail)\.\w+)` \|/gm),
    ];
    expect(named.map(([, type]) => type)).to.deep.equal([...eventTypes]);
  });
});
