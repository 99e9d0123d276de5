import { once } from 'node:events';
import { Agent, createServer, get, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import { arrivalOf, RequestScheduler } from '../../../../../adapters/http/server/request-scheduler.ts';

const busy = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

describe('a scheduler of requests', () => {
  let server: Server;
  let agent: Agent;
  let handled: string[];
  let accepted: number;
  /** How many requests were handled when the last connection was accepted. */
  let handledBeforeLast: number;
  let handle: (path: string, response: ServerResponse) => void;

  beforeEach(async () => {
    handled = [];
    accepted = 0;
    agent = new Agent({ keepAlive: true });
    handle = (_, response) => response.end();
    const scheduler = new RequestScheduler((request, response) => {
      handled.push(request.url ?? '');
      handle(request.url ?? '', response);
    });
    server = createServer(scheduler.start);
    server.on('connection', scheduler.onConnection);
    server.on('connection', () => {
      accepted++;
      handledBeforeLast = handled.length;
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });

  const ask = (path: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      get({ host: '127.0.0.1', port, path, agent }, (response) => response.resume().on('end', resolve)).on(
        'error',
        reject,
      );
    });

  /** Opens connections, which stay open. */
  const connect = async (count: number): Promise<void> => {
    await Promise.all(Array.from({ length: count }, () => ask('/connect')));
    handled = [];
  };

  it('accepts the connections that wait before it starts their requests', async () => {
    handle = (_, response) => {
      busy(20);
      response.end();
    };
    await Promise.all(Array.from({ length: 60 }, (_, index) => ask(`/${index}`)));
    expect(accepted).to.equal(60);
    expect(handledBeforeLast).to.be.lessThan(30);
    expect(handled).to.have.length(60);
  });

  it('lets timers run while requests that arrived together wait', async () => {
    await connect(40);
    let handledBeforeTimer = Number.POSITIVE_INFINITY;
    handle = (_, response) => {
      if (handled.length === 1)
        setTimeout(() => {
          handledBeforeTimer = handled.length;
        }, 1);
      busy(5);
      response.end();
    };
    await Promise.all(Array.from({ length: 40 }, (_, index) => ask(`/${index}`)));
    expect(handledBeforeTimer).to.be.lessThan(20);
    expect(handled).to.have.length(40);
  });

  it('starts requests in the order of their arrival', async () => {
    await connect(40);
    handle = (_, response) => {
      busy(2);
      response.end();
    };
    const paths = Array.from({ length: 40 }, (_, index) => `/${index}`);
    await Promise.all(paths.map(ask));
    expect(handled).to.deep.equal(paths);
  });

  /** A request that waits because a connection was just accepted. */
  const waitingRequest = (scheduler: RequestScheduler): IncomingMessage => {
    const request = new IncomingMessage(new Socket());
    scheduler.onConnection();
    scheduler.start(request, new ServerResponse(request));
    return request;
  };

  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
  };

  it('tells when a request that waited arrived', async () => {
    const started: IncomingMessage[] = [];
    const earliestMs = performance.now();
    const request = waitingRequest(new RequestScheduler((waited) => started.push(waited)));
    const latestMs = performance.now();
    expect(started).to.deep.equal([]);
    await turns(5);
    expect(started).to.deep.equal([request]);
    expect(arrivalOf(request)).to.be.within(earliestMs, latestMs);
  });

  it('starts all waiting requests after 100 ms, although every turn accepts a connection', async () => {
    let started = 0;
    const scheduler = new RequestScheduler(() => started++);
    const count = 500;
    for (let index = 0; index < count; index++) waitingRequest(scheduler);
    await turns(1);
    busy(110);
    // Each turn starts at least one request.
    for (let turn = 0; turn < count + 5 && started < count; turn++) {
      scheduler.onConnection();
      await turns(1);
    }
    expect(started).to.equal(count);
  });

  it('lets requests wait for new connections again after a turn without one', async () => {
    let started = 0;
    const scheduler = new RequestScheduler(() => started++);
    waitingRequest(scheduler);
    await turns(1);
    busy(110);
    for (let turn = 0; turn < 10; turn++) {
      scheduler.onConnection();
      await turns(1);
    }
    expect(started).to.equal(1);
    await turns(2);
    waitingRequest(scheduler);
    await turns(2);
    expect(started).to.equal(1);
    await turns(2);
    expect(started).to.equal(2);
  });

  it('does not start a request whose connection was closed while it waited', async () => {
    const started: IncomingMessage[] = [];
    const scheduler = new RequestScheduler((request) => started.push(request));
    const closed = waitingRequest(scheduler);
    const open = waitingRequest(scheduler);
    closed.socket.destroy();
    await turns(5);
    expect(started).to.deep.equal([open]);
  });
});
