import { createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { mongodb } from '../../../../../adapters/stores/mongodb/index.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';
import { engine } from '../../../../support/engines/index.ts';

const operationTimeoutMs = 1_200;

/** The message with which the check of a store with this connection string fails. */
const checkError = async (connectionString: string): Promise<string> => {
  const block = { connectionString, databaseName: 'accounts', collectionName: 'users' };
  const { users: store } = await mongodb.open(block, { ...silentContext, operationTimeoutMs });
  try {
    const fault = await rejection(store.check());
    if (!(fault instanceof Error)) throw new Error('the check rejects with an error');
    return fault.message;
  } finally {
    await store.close();
  }
};

describe('MongoDB: the message for an unreachable database names', () => {
  const uri = engine('mongodb');
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** Starts a server that is not MongoDB and returns its connection string. */
  const foreignServer = async (behave: (socket: Socket) => unknown): Promise<string> => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('close', () => socket.destroy());
      behave(socket);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    return `mongodb://canary:canary@127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
  };

  it('another replica set than the configured one', async () => {
    const asked = ['', '&directConnection=true'].map(
      (more) => `mongodb://${new URL(uri()).host}/?replicaSet=other${more}`,
    );
    for (const line of await Promise.all(asked.map(checkError)))
      expect(line).to.match(/: the connection string asks for the replica set "other", and the server is in "\w+"$/);
  });

  it('a replica set member whose host name is unreachable', async () => {
    const line = await checkError(`mongodb://${new URL(uri()).host}/?replicaSet=rs0`);
    expect(line).to.match(/: the replica set names a member "localhost:27017", and that cannot be reached \(ECONN/);
  });

  it('a server that speaks another protocol', async () => {
    const line = await checkError(await foreignServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    expect(line)
      .to.match(/cannot be reached \(.*is it MongoDB/)
      .and.not.include('canary');
  });

  it('a server that does not respond', async () => {
    const line = await checkError(await foreignServer(() => {}));
    expect(line)
      .to.match(/(no response within \d+ ms|no server .+ answered); is it MongoDB that listens there\?$/)
      .and.not.include('canary');
  });

  it('a server without TLS', async () => {
    const line = await checkError(`mongodb://${new URL(uri()).host}/?directConnection=true&tls=true`);
    expect(line).to.match(/cannot be reached \((?:ECONNRESET: )?does the server speak TLS\?\)$/);
  });

  for (const option of ['tlsCAFile', 'tlsCertificateKeyFile', 'tlsCRLFile']) {
    it(`a missing file of ${option}`, async () => {
      const line = await checkError(`mongodb://canary:canary@127.0.0.1/?tls=true&${option}=/canary/missing.pem`);
      expect(line).to.equal(`database accounts: the file of ${option} is missing (ENOENT)`);
    });
  }

  it('a missing package that an option needs', async () => {
    const line = await checkError(`mongodb://${new URL(uri()).host}/?directConnection=true&compressors=snappy`);
    expect(line).to.match(/needs the package snappy, which is not installed$/);
  });
});
