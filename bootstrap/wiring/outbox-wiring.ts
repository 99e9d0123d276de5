import type { Outbox } from '../../adapters/http/admin/outbox/mail-content.ts';
import type { AdapterContext } from '../../adapters/kit/definition.ts';
import type { Configuration } from '../configuration/index.ts';

/**
 * Opens the mails for the page `/outbox`; null with any other mailer. It needs only the folder of the mails, so it works
 * with any number of processes that write them.
 */
export const outboxOf = (
  { email, operationTimeout }: Configuration,
  log: AdapterContext['log'],
): (() => Promise<Outbox | undefined>) | null => {
  if (email?.type !== 'outbox') return null;
  return async () => {
    const [{ OutboxMailer }, { EmlReader }, mailer] = await Promise.all([
      import('../../adapters/mailers/outbox/index.ts'),
      import('../../adapters/mailers/outbox/eml-reader.ts'),
      email.open({ log, operationTimeout }),
    ]);
    // A test may keep the mails elsewhere.
    return mailer instanceof OutboxMailer ? new EmlReader(mailer.directory) : undefined;
  };
};
