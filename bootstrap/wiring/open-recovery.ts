import { createHash, randomUUID } from 'node:crypto';
import type { Container } from 'inversify';
import { recoveryLink, recoveryPageUrl } from '../../adapters/http/paths.ts';
import { RecoveryBus } from '../../application/bus.ts';
import type { Interceptor } from '../../application/interceptor.ts';
import type { DeliverySignal } from '../../application/outgoing/delivery-signal.ts';
import type { MailQueue } from '../../application/outgoing/mail-queue.ts';
import { LoginThrottle } from '../../application/passwords/login-throttle.ts';
import { PasswordUpdate } from '../../application/passwords/password-update.ts';
import type { AttemptCounter } from '../../application/ports/attempt-counter.ts';
import type { DeliveryTarget } from '../../application/ports/delivery-target.ts';
import type { EventOutbox } from '../../application/ports/event-outbox.ts';
import type { Log } from '../../application/ports/log.ts';
import { ConfirmRecoveryHandler } from '../../application/recovery/confirm-recovery.ts';
import { IssueRecoveryHandler } from '../../application/recovery/issue-recovery.ts';
import { RecoveryMail, type RecoverySecret } from '../../application/recovery/recovery-mail.ts';
import { codeTokens, linkTokens } from '../../application/recovery/recovery-token.ts';
import { RequestRecoveryHandler } from '../../application/recovery/request-recovery.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import type { Configuration } from '../configuration/index.ts';
import { type RecoveryBlock, tokenLimits } from '../configuration/recovery-block.ts';
import type { Mails } from './mail-texts.ts';
import type { Adapters } from './open-adapters.ts';
import { policiesOf } from './use-case-policies.ts';

/** The recovery of passwords in a process. */
export interface RecoveryService {
  readonly bus: RecoveryBus;
  /** Answers stored requests; none with `deliver: caller`. */
  readonly targets: readonly DeliveryTarget[];
}

/** What the recovery uses of the rest of the service. */
export interface RecoveryCollaborators {
  readonly interceptor: Interceptor;
  readonly mails: Mails;
  readonly delivery: DeliverySignal;
  /** Null with `deliver: caller`. */
  readonly mailQueue: MailQueue | null;
}

const secretOf = ({ form, pageUrl }: RecoveryBlock, publicUrl: string | null): RecoverySecret =>
  form === 'code' ? (_, token) => token : recoveryLink(pageUrl ?? recoveryPageUrl(publicUrl ?? ''));

/** Identifies the options on which links and codes depend, so that services of one database notice a difference. */
const identifierOf = ({ recovery, server }: Configuration): string =>
  createHash('sha256')
    .update(JSON.stringify([recovery, server.publicUrl]))
    .digest('base64url')
    .slice(0, 12);

const openBacklog = async (outbox: EventOutbox, lifetimeMs: number) => {
  const { RecoveryBacklog } = await import('../../application/recovery/recovery-backlog.ts');
  return new RecoveryBacklog(outbox, lifetimeMs);
};

/** Wires the use cases of the block `recovery`. */
export const openRecovery = async (
  configuration: Configuration & { readonly recovery: RecoveryBlock },
  adapters: Adapters & { readonly tokenAttempts: AttemptCounter },
  container: Container,
  { interceptor, mails, mailQueue, delivery }: RecoveryCollaborators,
  log: Log,
): Promise<RecoveryService> => {
  const { operationTimeoutMs, server, recovery } = configuration;
  const { lifetimeMs, codeKey } = recovery;
  const { store, clock, attempts, tokenAttempts } = adapters;
  const limits = tokenLimits(recovery);
  const updates = container.get(OptimisticUpdate);
  const tokens = codeKey === null ? linkTokens : codeTokens(codeKey);
  const mail = mailQueue && new RecoveryMail(mailQueue, mails.localeOf, secretOf(recovery, server.publicUrl));
  const identifier = identifierOf(configuration);
  const outbox = store.events ?? null;
  const backlog = mailQueue && outbox && (await openBacklog(outbox, lifetimeMs));
  const bus = new RecoveryBus(
    {
      RequestRecovery: new RequestRecoveryHandler(
        outbox && delivery.outbox(outbox),
        backlog,
        clock,
        randomUUID,
        identifier,
      ),
      IssueRecovery: new IssueRecoveryHandler(updates, clock, tokens, recovery, mail),
      ConfirmRecovery: new ConfirmRecoveryHandler(
        updates,
        container.get(PasswordUpdate),
        tokens,
        clock,
        { ...policiesOf(configuration).limits, ...recovery },
        new LoginThrottle(tokenAttempts, limits, operationTimeoutMs, tokens.isGuessable),
        attempts,
      ),
    },
    interceptor,
  );
  const openRequests = async (): Promise<DeliveryTarget> => {
    const { RecoveryRequests } = await import('../../application/recovery/recovery-requests.ts');
    return new RecoveryRequests(bus, operationTimeoutMs, lifetimeMs, log, identifier);
  };
  return { bus, targets: mailQueue === null ? [] : [await openRequests()] };
};
