import type { Configuration } from './configuration.ts';

/** Whether mails are stored before they are sent: those of a recovery and of a new address always are. */
export const queuesMails = ({ verification, recovery }: Configuration): boolean =>
  verification.queue || verification.confirmChange || recovery?.deliver === 'mail';

/** Why a store without an outbox cannot be used with webhooks. */
export const noOutbox = (type: string): string =>
  `the database of type ${type} cannot store events; remove the block, or use another database`;
