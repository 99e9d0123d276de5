import type { LookupFunction } from 'node:net';
import { TcpProxy } from '../../support/fault-proxy.ts';

/** The number of members of the replica set, and of services that use it. */
export const memberCount = 3;
export const serviceCount = 2;

/** A member or a service, counted from 0. */
export type Peer = { readonly member: number } | { readonly service: number };

/** The name of a member in the configuration of the replica set. */
export const memberName = (member: number): string => `member${member + 1}`;

/** The loopback address that a member listens on. */
export const memberAddress = (member: number): string => `127.77.9.${member + 1}`;

const indexOf = (node: Peer): number => ('member' in node ? node.member : memberCount + node.service);

/** The loopback address of the proxy that leads from a node to a member. */
const linkAddress = (from: Peer, to: number): string => `127.77.${indexOf(from)}.${to + 1}`;

/** The addresses under which a node finds the names of the members. A member reaches itself directly. */
export const addressesFor = (from: Peer): Readonly<Record<string, string>> => {
  const entries = Array.from({ length: memberCount }, (_, to): [string, string] => {
    const isItself = 'member' in from && from.member === to;
    return [memberName(to), isItself ? memberAddress(to) : linkAddress(from, to)];
  });
  return Object.fromEntries(entries);
};

/** Resolves the names of the members as a node does, for a client in this process. */
export const lookupFor = (from: Peer): LookupFunction => {
  const addresses = addressesFor(from);
  return (hostname, { all }, callback) => {
    const address = addresses[hostname];
    if (address === undefined) callback(new Error(`${hostname} is not a member`), '');
    else if (all) callback(null, [{ address, family: 4 }]);
    else callback(null, address, 4);
  };
};

/**
 * A proxy on each link: from each member to the two others, and from each service to each member. All members listen on
 * the same port of different loopback addresses, so that one name and port means another proxy for each node.
 */
export class Links {
  private readonly slow = new Set<TcpProxy>();

  private constructor(private readonly proxies: ReadonlyMap<string, TcpProxy>) {}

  static async create(port: number): Promise<Links> {
    const nodes: Peer[] = [
      ...Array.from({ length: memberCount }, (_, member) => ({ member })),
      ...Array.from({ length: serviceCount }, (_, service) => ({ service })),
    ];
    const proxies = new Map<string, TcpProxy>();
    for (const from of nodes) {
      for (const address of Object.values(addressesFor(from))) {
        const to = Number(address.at(-1)) - 1;
        if (address !== linkAddress(from, to)) continue;
        proxies.set(address, await TcpProxy.to(memberAddress(to), port, { host: address, port }));
      }
    }
    return new Links(proxies);
  }

  /** Drops everything that one node sends to another, on connections of either of them. */
  cutOneWay(from: Peer, to: Peer): void {
    this.between(from, to)?.silence(['requests']);
    this.between(to, from)?.silence(['replies']);
  }

  /** Drops everything between two nodes. */
  cut(one: Peer, other: Peer): void {
    this.cutOneWay(one, other);
    this.cutOneWay(other, one);
  }

  /** Delays the replies between two nodes, in milliseconds. */
  slowDown(one: Peer, other: Peer, delayMs: number): void {
    for (const proxy of [this.between(one, other), this.between(other, one)]) {
      if (proxy === undefined) continue;
      proxy.delay(delayMs);
      this.slow.add(proxy);
    }
  }

  /** Ends all cuts and delays. The connections that lost or delayed data are reset. */
  async restore(): Promise<void> {
    // What is sent from now on must not overtake what is delayed.
    for (const proxy of this.slow) proxy.reset();
    this.slow.clear();
    for (const proxy of this.proxies.values()) await proxy.restore();
  }

  async close(): Promise<void> {
    for (const proxy of this.proxies.values()) await proxy.close();
  }

  /** The proxy for connections that a node opens to another one; undefined when that is a service. */
  private between(from: Peer, to: Peer): TcpProxy | undefined {
    return 'member' in to ? this.proxies.get(linkAddress(from, to.member)) : undefined;
  }
}
