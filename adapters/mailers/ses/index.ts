import type { Mailer } from '../../../application/ports/mailer.ts';
import { placeOptions } from '../../aws/aws-options.ts';
import { senderAddress } from '../../kit/addresses.ts';
import { defineAdapter } from '../../kit/definition.ts';
import { block, required } from '../../kit/option-block.ts';
import { SesMailer } from './ses-mailer.ts';

/** Mails through Amazon Simple Email Service. */
export const ses = defineAdapter({
  type: 'ses',
  configuration: block({
    ...placeOptions('the mail provider'),
    fromAddress: required(
      senderAddress,
      'Sender address of the emails; the address or its domain has to be verified with the provider.',
    ),
  }),
  open: async (options, { operationTimeout }): Promise<Mailer> => new SesMailer(options, operationTimeout),
});
