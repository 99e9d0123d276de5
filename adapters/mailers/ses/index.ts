import { block, required } from '../../../application/options.ts';
import { defineAdapter } from '../../../application/ports/adapter.ts';
import type { Mailer } from '../../../application/ports/mailer.ts';
import { senderAddress } from '../../../application/sender-address.ts';
import { placeOptions } from '../../aws/service.ts';
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
