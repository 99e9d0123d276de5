import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type Koa from 'koa';
import type { Request } from 'koa';
import { canonicalAddress } from './ip-address.ts';

/**
 * Which proxies are trusted: so many of them, counted from the connection outwards, or those in these networks (IP
 * addresses, or CIDR such as `10.0.0.0/8`).
 */
export type ProxyTrust = number | readonly string[];

/** What the trusted proxies in front of the service tell of a request. */
interface Client {
  /** An IP address; empty when the connection is closed already. */
  readonly address: string;
  /** How many trusted proxies the request went through. */
  readonly hops: number;
}

/** Whether an address is that of a trusted proxy, after so many other trusted proxies. */
type Trusts = (address: string, hops: number) => boolean;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const within = (networks: readonly string[]): Trusts => {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
};

/** The values of a header that is a list, in the order in which the proxies appended them. */
const listed = ({ headers }: IncomingMessage, name: string): readonly string[] => {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value.split(',').map((item) => item.trim()) : [];
};

// `192.0.2.1:1234`, `[2001:db8::1]:443` and `[2001:db8::1]`, which some proxies write.
const withPort = /^(?:(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})|\[([\da-f:.]+)\])(?::\d{1,5})?$/i;

const addressIn = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined;
  const [, v4, v6] = withPort.exec(text) ?? [];
  return canonicalAddress(v4 ?? v6 ?? text);
};

/**
 * Reads the `X-Forwarded` headers as far as trusted proxies wrote them. Every proxy appends to the right, so that the
 * values are counted from the right; what stands further left may have been written by the client itself.
 */
export class TrustedProxies {
  private readonly trusts: Trusts;

  constructor(trust: ProxyTrust) {
    this.trusts = typeof trust === 'number' ? (_, hops) => hops < trust : within(trust);
  }

  /** Makes `ip`, `host` and `protocol` of an application's requests those that the proxies tell. Koa's own switch trusts any client. */
  addTo({ request }: Koa): void {
    const proxies = this;
    Object.defineProperties(request, {
      ip: {
        get(this: Request) {
          return proxies.addressOf(this.req);
        },
      },
      host: {
        get(this: Request) {
          return proxies.hostOf(this.req);
        },
      },
      protocol: {
        get(this: Request) {
          return proxies.protocolOf(this.req);
        },
      },
    });
  }

  /** The IP address of the client: the nearest one that belongs to no trusted proxy. Empty when the connection is closed. */
  addressOf(request: IncomingMessage): string {
    return this.clientOf(request).address;
  }

  /** The host that the outermost trusted proxy was asked for, as it is in the header: it may be no host at all. */
  hostOf(request: IncomingMessage): string {
    return this.told(request, 'x-forwarded-host') ?? request.headers.host ?? '';
  }

  /** The protocol by which the outermost trusted proxy was asked: http, https, or empty where it tells of another one. */
  protocolOf(request: IncomingMessage): 'http' | 'https' | '' {
    if ('encrypted' in request.socket) return 'https';
    const protocol = this.told(request, 'x-forwarded-proto')?.toLowerCase() ?? 'http';
    return protocol === 'http' || protocol === 'https' ? protocol : '';
  }

  /** Goes from the connection outwards while proxies are trusted; what is no IP address ends the way. */
  private clientOf(request: IncomingMessage): Client {
    let address = canonicalAddress(request.socket.remoteAddress ?? '') ?? '';
    const told = listed(request, 'x-forwarded-for');
    let hops = 0;
    while (this.trusts(address, hops)) {
      hops += 1;
      const next = addressIn(told.at(-hops));
      if (next === undefined) break;
      address = next;
    }
    return { address, hops };
  }

  /**
   * What the outermost trusted proxy wrote: undefined without one. Where there are fewer values than proxies it is the
   * first of them, because a proxy may replace what came before.
   */
  private told(request: IncomingMessage, name: string): string | undefined {
    const values = listed(request, name);
    return values[Math.max(0, values.length - this.clientOf(request).hops)];
  }
}
