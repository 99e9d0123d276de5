import type { Mailer } from '../../../application/ports/mailer.ts';
import { senderAddress } from '../../kit/addresses.ts';
import { defineAdapter } from '../../kit/definition.ts';
import { block, withDefault } from '../../kit/option-block.ts';
import { text } from '../../kit/option-codecs.ts';
import { OutboxMailer } from './outbox-mailer.ts';

const configuration = block({
  directory: withDefault(
    text,
    './data/outbox',
    'The folder that receives a file for each mail; made when it is missing.',
  ),
  fromAddress: withDefault(senderAddress, 'latchkey@localhost', 'Sender address of the emails.'),
});

/** Mails as `.eml` files in a folder, for development and tests, or for another program to send. */
export const outbox = defineAdapter({
  type: 'outbox',
  configuration,
  open: async ({ directory, fromAddress }): Promise<Mailer> => new OutboxMailer(directory, fromAddress),
});
