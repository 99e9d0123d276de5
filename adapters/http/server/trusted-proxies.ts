import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type Koa from 'koa';
import type { Request as KoaRequest } from 'koa';
import { canonicalAddress } from './client-address.ts';

/** The trusted proxies: their number, or their networks (IP addresses, or CIDR such as `10.0.0.0/8`). */
export type ProxyTrust = number | readonly string[];

/** The client of a request according to the trusted proxies. */
interface ForwardedClient {
  /** An IP address; empty when the connection is closed. */
  readonly address: string;
  /** How many trusted proxies the request passed. */
  readonly hops: number;
}

/** Whether an address is that of a trusted proxy; `hops` is the number of trusted proxies before it. */
type IsTrusted = (address: string, hops: number) => boolean;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const inNetworks = (networks: readonly string[]): IsTrusted => {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
};

/** The values of a list header, in the order in which the proxies appended them. */
const valuesOf = ({ headers }: IncomingMessage, name: string): readonly string[] => {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value.split(',').map((item) => item.trim()) : [];
};

// Some proxies write `192.0.2.1:1234`, `[2001:db8::1]:443` or `[2001:db8::1]`.
const withPort = /^(?:(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})|\[([\da-f:.]+)\])(?::\d{1,5})?$/i;

const addressIn = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined;
  const [, v4, v6] = withPort.exec(text) ?? [];
  return canonicalAddress(v4 ?? v6 ?? text);
};

/**
 * Reads the values of `X-Forwarded` headers that trusted proxies wrote. Each proxy appends to the right, so values are
 * counted from the right. The client can have written any value further left.
 */
export class TrustedProxies {
  private readonly isTrusted: IsTrusted;

  constructor(trust: ProxyTrust) {
    this.isTrusted = typeof trust === 'number' ? (_, hops) => hops < trust : inNetworks(trust);
  }

  /** Makes `ip`, `host` and `protocol` of Koa's requests those of the client. Koa's own `proxy` option trusts any client. */
  addTo({ request }: Koa): void {
    const proxies = this;
    Object.defineProperties(request, {
      ip: {
        get(this: KoaRequest) {
          return proxies.addressOf(this.req);
        },
      },
      host: {
        get(this: KoaRequest) {
          return proxies.hostOf(this.req);
        },
      },
      protocol: {
        get(this: KoaRequest) {
          return proxies.protocolOf(this.req);
        },
      },
    });
  }

  /** The IP address of the client, the nearest one that is no trusted proxy. Empty when the connection is closed. */
  addressOf(request: IncomingMessage): string {
    return this.clientOf(request).address;
  }

  /** The host that the outermost trusted proxy received. It is not validated. */
  hostOf(request: IncomingMessage): string {
    return this.forwarded(request, 'x-forwarded-host') ?? request.headers.host ?? '';
  }

  /** The protocol that the outermost trusted proxy received: http, https, or empty for any other. */
  protocolOf(request: IncomingMessage): 'http' | 'https' | '' {
    if ('encrypted' in request.socket) return 'https';
    const protocol = this.forwarded(request, 'x-forwarded-proto')?.toLowerCase() ?? 'http';
    return protocol === 'http' || protocol === 'https' ? protocol : '';
  }

  /** Follows the addresses from the connection to the client, up to the first that is no trusted proxy or no IP address. */
  private clientOf(request: IncomingMessage): ForwardedClient {
    let address = canonicalAddress(request.socket.remoteAddress ?? '') ?? '';
    const forwarded = valuesOf(request, 'x-forwarded-for');
    let hops = 0;
    while (this.isTrusted(address, hops)) {
      hops += 1;
      const next = addressIn(forwarded.at(-hops));
      if (next === undefined) break;
      address = next;
    }
    return { address, hops };
  }

  /**
   * The value that the outermost trusted proxy wrote, undefined without one. With fewer values than proxies it is the
   * first, because a proxy may replace the value that it received.
   */
  private forwarded(request: IncomingMessage, name: string): string | undefined {
    const values = valuesOf(request, name);
    return values[Math.max(0, values.length - this.clientOf(request).hops)];
  }
}
