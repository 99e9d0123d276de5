import { EventExpiry } from '../../adapters/delivery/event-expiry.ts';
import { type DeliveryStatus, EventRelay } from '../../adapters/delivery/event-relay.ts';
import type { MetricFamily } from '../../adapters/observability/metric-families.ts';
import type { Component } from '../../application/health.ts';
import type { DeliverySignal } from '../../application/outgoing/delivery-signal.ts';
import type { DeliveryTarget } from '../../application/ports/delivery-target.ts';
import type { EventOutbox } from '../../application/ports/event-outbox.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Configuration } from '../configuration/index.ts';
import { eventsBlock } from '../features/events-block.ts';
import { type Adapters, requiredPort } from './adapters.ts';

/** A target, with the age of its oldest event that waits, in milliseconds; 0 if none waits. */
export type QueueStatus = DeliveryStatus & { readonly oldestAgeMs: number };

/** How the delivery to some targets is doing. */
export interface DeliveryReport {
  readonly states: readonly QueueStatus[];
  /** How many events of destinations that are not configured any more have expired since the start. */
  readonly unconfigured: ReadonlyMap<string, number>;
  /** Why expired events cannot be deleted; undefined if they can. */
  readonly expiryError: string | undefined;
}

/** Targets with a health line of their own. A target that is down does not make the service unhealthy. */
export interface DeliveryGroup {
  /** The name of the health line. */
  readonly component: string;
  readonly targets: readonly DeliveryTarget[];
  /** Whether events have expiry times of their own, and are deleted then even if they cannot be claimed. */
  readonly holdsSecrets?: boolean;
  /** The age at which undelivered events are removed; that of the block `events` by default. */
  readonly maxAgeMs?: number;
  /** Whether reports say how old the oldest event is, which costs a call where some wait. */
  readonly hasAges?: boolean;
  /** Further work of the process that delivers. */
  readonly work?: { start(): void; stop(): Promise<void> };
  lineOf(report: DeliveryReport): string;
  metricsOf(report: DeliveryReport): readonly MetricFamily[];
}

/** The delivery of a process. */
interface EventDelivery {
  readonly components: readonly Component[];
  metrics(): Promise<readonly MetricFamily[]>;
  start(): void;
  /** Claims no more events. Resolves when the attempts in progress have ended by themselves. */
  finish(): Promise<void>;
  /** Stops within about `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
}

/** The outbox for an option that queues mails. The error says how to do without: `remedy` is a clause. */
export const requiredMailOutbox = (
  { configuration, adapters }: { readonly configuration: Configuration; readonly adapters: Adapters },
  path: string,
  remedy: string,
): EventOutbox => {
  const reason = `the database of type ${configuration.database.type} cannot store mails`;
  return requiredPort(adapters.store.events, path, `${reason}; ${remedy}, or use another database`);
};

/** What health lines say of expired events. */
export const expiredSinceStart = (expired: number): string =>
  expired === 0 ? '' : `, ${expired} expired since the start`;

/** What health lines say of waiting events. */
export const waiting = (pending: number | undefined): string => (pending === undefined ? '' : `, ${pending} waiting`);

/** A health line about events that cannot be deleted, if so. */
export const cannotExpire = ({ expiryError }: DeliveryReport): readonly string[] =>
  expiryError === undefined ? [] : [`expired events cannot be deleted: ${expiryError}`];

/** The health line of a queue: what it does as long as it can, how many wait, and how many were `refused` in which way. */
export const lineOfQueue =
  (usual: string, refused: 'refused' | 'dropped') =>
  (state: QueueStatus): string => {
    const { error = usual, pending, oldestAgeMs, expired } = state;
    const oldest = oldestAgeMs === 0 ? '' : `, the oldest for ${Math.ceil(oldestAgeMs / 1000)} s`;
    const others = state.refused === 0 ? '' : `, ${state.refused} ${refused} since the start`;
    return `${error}${waiting(pending)}${oldest}${others}${expiredSinceStart(expired)}`;
  };

/** The health line of stored requests. */
export const stateOfRequests: DeliveryGroup['lineOf'] = ({ states }) =>
  states.map(lineOfQueue('requests are processed', 'dropped')).join();

/** Opens the delivery of an outbox to all targets. */
export const openEventDelivery = (
  groups: readonly DeliveryGroup[],
  outbox: EventOutbox,
  { clock }: Pick<Adapters, 'clock'>,
  signal: DeliverySignal,
  log: Log,
): EventDelivery => {
  const targets = groups.flatMap((group) => group.targets);
  const expiring = groups.flatMap((group) => (group.holdsSecrets === true ? group.targets : []));
  const relay = new EventRelay(targets, outbox, clock, log);
  const expiry = new EventExpiry({
    outbox,
    clock,
    log,
    maxAgeMs:
      groups.find((group) => group.maxAgeMs !== undefined)?.maxAgeMs ?? eventsBlock.options.maxAge.fallback.value,
    targets,
    expiring,
  });
  const works = groups.flatMap(({ work }) => work ?? []);
  const stopWorks = () => works.map((work) => work.stop());
  const configured = new Set(targets.map(({ destination }) => destination));

  const stateOf = async (status: DeliveryStatus, hasAge: boolean): Promise<QueueStatus> => {
    // Read only where some wait, so that a healthy service makes no more calls of the database.
    const isEmpty = !hasAge || status.pending === 0;
    const oldest = isEmpty ? undefined : await relay.oldestTime(status.destination);
    return {
      ...status,
      expired: status.expired + (expiry.expired.get(status.destination) ?? 0),
      oldestAgeMs: oldest === undefined ? 0 : Math.max(0, clock.now() - oldest),
    };
  };
  const reportOf = async ({ targets: own, hasAges = false }: DeliveryGroup): Promise<DeliveryReport> => {
    const destinations = new Set(own.map(({ destination }) => destination));
    const statuses = (await relay.statuses()).filter(({ destination }) => destinations.has(destination));
    return {
      states: await Promise.all(statuses.map((status) => stateOf(status, hasAges))),
      unconfigured: new Map([...expiry.expired].filter(([destination]) => !configured.has(destination))),
      expiryError: expiry.error,
    };
  };
  return {
    components: groups.map((group) => ({
      name: group.component,
      check: async () => group.lineOf(await reportOf(group)),
    })),
    metrics: async () =>
      (await Promise.all(groups.map(async (group) => group.metricsOf(await reportOf(group))))).flat(),
    start: () => {
      signal.subscribe(relay.queues);
      relay.start();
      expiry.start();
      for (const work of works) work.start();
    },
    finish: async () => {
      signal.unsubscribe(relay.queues);
      await Promise.all([relay.finish(), expiry.stop(), ...stopWorks()]);
    },
    stop: async (timeoutMs) => {
      signal.unsubscribe(relay.queues);
      await Promise.all([relay.stop(timeoutMs), expiry.stop(), ...stopWorks()]);
    },
  };
};
