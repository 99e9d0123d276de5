import type { SimulatedFailures } from '../../sdk/contract/simulated-failures.ts';
import { TcpProxy } from './fault-proxy.ts';

/** The network between a store and its database, with the failures that the contract of stores asks for. */
export class SimulatedNetwork {
  private proxy: TcpProxy | undefined;

  readonly failures: SimulatedFailures = {
    operationTimeoutMs: 3_000,
    outage: { begin: async () => this.proxy?.refuse(), end: async () => this.proxy?.restore() },
    hang: { begin: async () => this.proxy?.silence(), end: async () => this.proxy?.restore() },
  };

  async connect(host: string, port: number): Promise<TcpProxy> {
    this.proxy = await TcpProxy.to(host, port);
    return this.proxy;
  }

  async disconnect(): Promise<void> {
    await this.proxy?.close();
  }
}
