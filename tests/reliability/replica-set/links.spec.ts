import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { freePort } from '../../../benchmarks/free-port.ts';
import { skipSuite } from '../../support/engines/skipped-suites.ts';
import { eventually } from '../../support/eventually.ts';
import { addressesFor, Links, memberAddress, memberCount, memberName, type Peer } from './links.ts';

/** A server that records what it receives, and replies `reply`. */
interface Member {
  readonly server: Server;
  received: string;
}

describe('the links of a replica set', () => {
  const members: Member[] = [];
  const clients: Socket[] = [];
  let port: number;
  let links: Links;

  before('start members and proxies', async function () {
    if (process.platform !== 'linux') skipSuite(this, 'the links need Linux, where all of 127.0.0.0/8 is local');
    port = await freePort();
    for (let index = 0; index < memberCount; index++) {
      const member: Member = { server: createServer(), received: '' };
      member.server.on('connection', (socket) => {
        socket.on('error', () => socket.destroy());
        socket.on('data', (text) => {
          member.received += text;
          socket.write('reply');
        });
      });
      members.push(member);
      member.server.listen(port, memberAddress(index));
      await once(member.server, 'listening');
    }
    links = await Links.create(port);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    for (const member of members) member.received = '';
    await links.restore();
  });
  after('stop them', async () => {
    await links?.close();
    for (const { server } of members) server.close();
  });

  /** Sends a request from a node to a member. Resolves with the connection, which records the replies. */
  const send = async (from: Peer, to: number): Promise<{ replies: string }> => {
    const client = connect({ host: addressesFor(from)[memberName(to)]!, port });
    clients.push(client);
    const seen = { replies: '' };
    client.on('error', () => client.destroy());
    client.on('data', (text) => {
      seen.replies += text;
    });
    await once(client, 'connect');
    client.write('request');
    return seen;
  };

  /** Expects a reply. Afterwards, a link without a cut would have delivered an earlier request too. */
  const expectReply = async (from: Peer, to: number): Promise<void> => {
    const seen = await send(from, to);
    await eventually(async () => expect(seen.replies).to.equal('reply'), 2_000);
  };

  it('connect each node to each member', async () => {
    for (const from of [{ member: 0 }, { member: 2 }, { service: 0 }, { service: 1 }])
      for (let to = 0; to < memberCount; to++) await expectReply(from, to);
  });

  it('lose what one member sends to another one, on connections of both, when they are cut in one direction', async () => {
    links.cutOneWay({ member: 0 }, { member: 1 });
    const toOther = await send({ member: 0 }, 1);
    const fromOther = await send({ member: 1 }, 0);
    await eventually(async () => expect(members[0]!.received, 'from the other').to.equal('request'), 2_000);
    await expectReply({ member: 0 }, 2);
    await expectReply({ service: 0 }, 1);
    expect(members[1]!.received, 'only from the service').to.equal('request');
    expect([toOther.replies, fromOther.replies]).to.deep.equal(['', '']);
  });

  it('lose everything between a service and a member when they are cut, and nothing after the end of the cut', async () => {
    links.cut({ service: 0 }, { member: 1 });
    const seen = await send({ service: 0 }, 1);
    await expectReply({ service: 1 }, 0);
    expect([members[1]!.received, seen.replies]).to.deep.equal(['', '']);
    await links.restore();
    await expectReply({ service: 0 }, 1);
  });
});
