import { timeoutInterceptor } from '../../application/interceptor.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Configuration } from '../configuration/index.ts';
import type { AdministrationAdapters } from '../wiring/administration-wiring.ts';
import { openAudit } from '../wiring/audit-wiring.ts';
import { domainEventsOf } from '../wiring/event-delivery.ts';

/** What administrators work with in the first process, which serves nobody else: a store of its own. */
export class OwnAdministration {
  private opened: Promise<AdministrationAdapters> | undefined;

  constructor(
    private readonly configuration: Configuration,
    private readonly log: Log,
  ) {}

  /** Opens the store when it is asked for first, and again after a failure. */
  open(): Promise<AdministrationAdapters> {
    this.opened ??= this.adapters().catch((error: unknown) => {
      this.opened = undefined;
      throw error;
    });
    return this.opened;
  }

  async close(): Promise<void> {
    const adapters = await this.opened?.catch(() => undefined);
    await Promise.allSettled([adapters?.store.users.close(), adapters?.audit?.close()]);
  }

  private async adapters(): Promise<AdministrationAdapters> {
    const { log, configuration } = this;
    const { database, operationTimeout } = configuration;
    const store = await database.open({ log, operationTimeout });
    const clock = { now: Date.now };
    const events = domainEventsOf(configuration, { store, clock });
    const audit = await openAudit(configuration, log);
    return { store, clock, events, audit, around: timeoutInterceptor(operationTimeout) };
  }
}
