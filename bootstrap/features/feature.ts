import type { Container } from 'inversify';
import type { Middleware } from 'koa';
import type { RouteOptions } from '../../adapters/http/api/route-options.ts';
import type { Route } from '../../adapters/http/api/route-types.ts';
import type { Observer } from '../../adapters/http/server/request-log.ts';
import type { MetricFamily } from '../../adapters/observability/metric-families.ts';
import type { Tracing } from '../../adapters/observability/tracing/index.ts';
import type { AddressChanges } from '../../application/address-moves/address-moves.ts';
import type { Administration, Commands, Queries, SomeHandlers } from '../../application/bus.ts';
import type { CheckHelpers } from '../../application/passwords/password-check.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Configuration } from '../configuration/index.ts';
import type { Adapters } from '../service/adapters.ts';
import type { DeliveryGroup } from '../service/event-delivery.ts';
import type { Collaborators } from './collaborators.ts';

/** What a feature is opened with. */
export interface FeatureContext {
  readonly configuration: Configuration;
  readonly adapters: Adapters;
  readonly log: Log;
}

/** The use cases of a process, for the handlers and targets of a feature. */
export interface Services extends Collaborators, Pick<Container, 'get'> {
  /** Measured and traced. */
  readonly adapters: Adapters;
}

/**
 * What an optional block of the configuration adds to a service. It is opened only where it is configured, and has only
 * the members that it needs.
 */
export interface Feature {
  /** What takes the place of collaborators that do nothing. */
  readonly collaborators?: Partial<Collaborators>;
  /** What an update does with a new address that needs a confirmation. */
  addressMoves?(services: Services): AddressChanges | undefined;
  /** What password checks use. */
  checkHelpers?(services: Services): CheckHelpers;
  commands?(services: Services): SomeHandlers<Commands>;
  queries?(services: Services): SomeHandlers<Queries>;
  administration?(services: Services): SomeHandlers<Administration>;
  /** The routes on the public port. */
  routes?(services: Services, options: RouteOptions): Promise<readonly Route[]>;
  /** The events, mails or requests that are delivered, with their health line and metrics. */
  deliveries?(services: Services): Promise<readonly DeliveryGroup[]>;
  /** Called after each request, on both ports. */
  readonly observer?: Observer;
  /** Runs before the routes of the public port. */
  readonly middleware?: Middleware;
  readonly tracing?: Tracing;
  /** What it needs of the database works; resolves with a line for operators, and throws a Fault otherwise. */
  checkDatabase?(): Promise<string>;
  metrics?(): readonly MetricFamily[];
  /** Opens files again, on SIGHUP. Never rejects. */
  reload?(): Promise<void>;
  /** Ends before the database is closed. */
  close?(): Promise<void>;
  /** Sends what is left after everything else was closed, within about `remainingMs`. */
  flush?(remainingMs: number): Promise<void>;
}
