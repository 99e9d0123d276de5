import type { KeptMails } from '../../adapters/http/admin/kept-mails/mail-content.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Configuration } from '../configuration/index.ts';

/** Opens the mails for `/outbox`; null unless mails are written to files. It only reads the folder of the mails. */
export const keptMailsOpener = (
  { email, operationTimeoutMs }: Configuration,
  log: Log,
): (() => Promise<KeptMails | undefined>) | null => {
  if (email?.type !== 'outbox') return null;
  return async () => {
    const [{ readerOf }, mailer] = await Promise.all([
      import('../../adapters/mailers/eml-files/index.ts'),
      email.open({ log, operationTimeoutMs }),
    ]);
    return readerOf(mailer);
  };
};
