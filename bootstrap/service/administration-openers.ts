import type { AdministrationParts } from '../../adapters/http/admin/administration/index.ts';
import type { KeptMails } from '../../adapters/http/admin/kept-mails/mail-content.ts';
import type { ImmediateAuthenticator } from '../../adapters/http/authentication/authenticator.ts';
import { type Observer, requestLog } from '../../adapters/http/server/pipeline.ts';
import { readerOf } from '../../adapters/mailers/eml-files/index.ts';
import { type NotPermittedCounts, recordSecretUse } from '../../adapters/observability/metrics.ts';
import { CommandBus, QueryBus } from '../../application/bus.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Configuration } from '../configuration/index.ts';
import { limitsKeys } from '../configuration/key-permissions.ts';
import type { ApiAdditions, Feature, Services } from '../features/feature.ts';
import { apiOf, observersOf } from '../features/index.ts';

/** What a process provides for the administration of users. */
export interface AdministrationSources {
  readonly commands: CommandBus;
  readonly queries: QueryBus;
  /** Those of features, called after each request. */
  readonly observers: readonly Observer[];
  /** What features change in the routes. */
  readonly api: ApiAdditions;
  /** Whether the database can sort and count its users. */
  readonly sortsUsers: boolean;
}

/** What the wired use cases of this process provide. */
export const administrationSources = (
  { get, adapters }: Services,
  features: readonly Feature[],
): AdministrationSources => ({
  commands: get(CommandBus),
  queries: get(QueryBus),
  observers: observersOf(features),
  api: apiOf(features),
  sortsUsers: adapters.store.search !== undefined,
});

/** What the administration keeps when its configuration is replaced. */
export interface KeptAdministration extends Pick<AdministrationParts, 'memory'> {
  readonly notPermitted: NotPermittedCounts;
}

/** Opens `/admin`; undefined without keys of administrators. */
export const administrationOpener = (
  configuration: Configuration,
  authenticator: ImmediateAuthenticator,
  open: () => Promise<AdministrationSources>,
  { memory, notPermitted }: KeptAdministration,
  clock: Clock,
  log: Log,
): (() => Promise<AdministrationParts>) | undefined => {
  const { admin, logging, openApi, properties, email, server, throttle, operationTimeoutMs } = configuration;
  if (admin.keys.length === 0) return undefined;
  return async () => {
    const { commands, queries, api, sortsUsers, ...sources } = await open();
    const observers = [requestLog(log, logging.requests), recordSecretUse, notPermitted.record, ...sources.observers];
    const information = openApi.enabled ? openApi : null;
    const features = {
      clock,
      queuesMails: api.queuesMails === true,
      // No link has a code.
      linkBaseUrl: email === undefined ? null : (server.publicUrl ?? (email.codes === undefined ? null : '')),
      createsUsers: admin.createUsers,
      invites: commands.handles('InviteUser'),
      showsPasswordTime: api.passwordTime === true,
      activity: api.activity ?? null,
      moveLifetimeMs: api.addressMove?.lifetimeMs ?? null,
      properties,
      countsPasswords: throttle !== undefined,
      sortsUsers,
      nameProperty: admin.nameProperty,
      ids: api.ids === true,
      unique: api.unique ?? [],
      limitsKeys: limitsKeys(admin.keys),
    };
    return { commands, queries, authenticator, observers, information, memory, ...features, operationTimeoutMs, log };
  };
};

/** Opens the mails for `/outbox`; undefined unless mails are written to files. It only reads the folder of the mails. */
export const keptMailsOpener = (
  { email, operationTimeoutMs }: Configuration,
  log: Log,
): (() => Promise<KeptMails | undefined>) | undefined => {
  if (!email?.keepsMails) return undefined;
  return async () => readerOf(await email.open({ log, operationTimeoutMs }));
};
