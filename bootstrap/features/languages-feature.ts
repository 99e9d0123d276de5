import type { EmailBlock } from '../configuration/email-block.ts';
import { openMails } from '../service/mail-texts.ts';
import type { Feature } from './feature.ts';

/** The mails of the block `email`, in its languages. */
export const open = async (email: EmailBlock): Promise<Feature> => ({
  collaborators: { mails: await openMails(email) },
});
