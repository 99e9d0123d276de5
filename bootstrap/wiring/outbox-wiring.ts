import type { OutboxRoutes } from '../../adapters/http/admin/outbox/index.ts';
import type { AdapterContext } from '../../adapters/kit/definition.ts';
import type { Configuration } from '../configuration/index.ts';

/** Needs the folder of the mails only, and so serves beside any number of processes that write them. */
const open = async (
  email: NonNullable<Configuration['email']>,
  tools: AdapterContext,
): Promise<OutboxRoutes | undefined> => {
  const [{ OutboxMailer }, { Mailbox }, { outboxRoutes }, mailer] = await Promise.all([
    import('../../adapters/mailers/outbox/outbox-mailer.ts'),
    import('../../adapters/mailers/outbox/mailbox.ts'),
    import('../../adapters/http/admin/outbox/index.ts'),
    email.open(tools),
  ]);
  // A test may keep the mails elsewhere.
  return mailer instanceof OutboxMailer ? outboxRoutes(new Mailbox(mailer.directory)) : undefined;
};

/**
 * The page `/outbox` where mails become files; null with any other mailer. It is loaded when somebody asks for it first.
 */
export const outboxOf = (
  { email, operationTimeout }: Configuration,
  log: AdapterContext['log'],
): OutboxRoutes | null => {
  if (email?.type !== 'outbox') return null;
  let opened: Promise<OutboxRoutes | undefined> | undefined;
  return async (ctx, next) => {
    if (ctx.path !== '/outbox' && !ctx.path.startsWith('/outbox/')) return next();
    opened ??= open(email, { log, operationTimeout });
    const serve = await opened;
    return serve === undefined ? next() : serve(ctx, next);
  };
};
