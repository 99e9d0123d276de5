import { createHash } from 'node:crypto';
import { webUrl } from '../../adapters/kit/address-codecs.ts';
import { block, optional, required, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { choice, list, longDuration, refine, text } from '../../adapters/kit/option-codecs.ts';
import { eventTypes } from '../../application/outgoing/domain-events.ts';
import { propertyNames } from '../configuration/plain-blocks.ts';
import { oneOfSecrets, secretBlock, secretsIn, secretsOption } from '../configuration/rotation.ts';
import { optionalBlock } from '../configuration/section.ts';

// Standard Webhooks, "Symmetric": 24 to 64 random bytes in Base64, after a prefix.
const prefix = 'whsec_';
const minKeyBytes = 24;
const maxKeyBytes = 64;

const isSecret = (value: string): boolean => {
  const encoded = value.slice(prefix.length);
  if (!value.startsWith(prefix) || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return false;
  const key = Buffer.from(encoded, 'base64');
  return key.length >= minKeyBytes && key.length <= maxKeyBytes && key.toString('base64') === encoded;
};

const secret = refine(
  text,
  isSecret,
  `expected a secret of Standard Webhooks: ${prefix} and ${minKeyBytes} to ${maxKeyBytes} bytes in Base64; to make one: echo ${prefix}$(openssl rand -base64 32)`,
);

/** An entry of `events.webhooks[].secrets`. */
export const webhookSecretBlock = secretBlock(secret);

/** An entry of `events.webhooks`. */
export const webhookBlock = block(
  {
    url: required(
      refine(
        text,
        (value) => webUrl(value)?.hash === '',
        'expected an http or https URL without user and fragment, such as https://example.com/hooks/latchkey',
      ),
      'Where events are sent with POST.',
    ),
    secret: optional(
      secret,
      `The secret that signs the events (Standard Webhooks): ${prefix} and ${minKeyBytes} to ${maxKeyBytes} bytes in Base64; required without \`secrets\`.`,
    ),
    secrets: secretsOption(webhookSecretBlock),
    types: withDefault(
      refine(list(choice(eventTypes)), (types) => types.length > 0, 'is empty; leave it out for all types'),
      eventTypes,
      'The types of events that are sent.',
    ),
    properties: optional(propertyNames, 'The custom properties whose changes its events name. Without it, all.'),
  },
  (webhook) => [
    ...oneOfSecrets(webhook),
    ...(webhook.secrets?.every(({ expires }) => expires !== null) === true
      ? [{ path: 'secrets', message: 'expected one without expires, so that events can always be signed' }]
      : []),
  ],
);

/** Why a store without an outbox cannot be used with webhooks. */
export const noOutbox = (type: string): string =>
  `the database of type ${type} cannot store events; remove the block, or use another database`;

/** The health line for an empty list of webhooks. */
export const noWebhooks = 'no webhook is configured';

const maxWebhooks = 20;
const minAgeMs = 1_000;

const isRepeated = ({ url }: { readonly url: string }, index: number, all: readonly { readonly url: string }[]) =>
  all.findIndex((other) => other.url === url) !== index;

/** The block `events`. */
export const eventsBlock = block({
  webhooks: required(
    refine(
      refine(list(webhookBlock), ({ length }) => length <= maxWebhooks, `expected at most ${maxWebhooks} webhooks`),
      (webhooks) => !webhooks.some(isRepeated),
      'has two entries with the same url; merge them, with the types of both',
    ),
    'The receivers. With an empty list, stored events expire.',
  ),
  maxAge: withDefault(
    refine(longDuration, (ms) => ms >= minAgeMs, 'expected at least 1s'),
    // Longer than a weekend with holidays, so that people can repair a receiver before an event or a queued mail is lost.
    '7d',
    'How long an event is kept for delivery.',
  ),
});

/** A short hash of the URL names the receiver in the store, so that its secret may change. */
const destinationOf = (url: string): string => createHash('sha256').update(url).digest('hex').slice(0, 16);

const eventsOf = ({ webhooks, maxAge }: Values<typeof eventsBlock.options>) => ({
  /** The age at which undelivered events are removed. */
  maxAgeMs: maxAge,
  webhooks: webhooks.map(({ secret: only, secrets, ...webhook }, index) => ({
    ...webhook,
    secrets: secretsIn({ secret: only, secrets }, `events.webhooks[${index}]`),
    destination: destinationOf(webhook.url),
  })),
});

/** The decoded block. */
export type Events = ReturnType<typeof eventsOf>;

export const eventsSection = optionalBlock(eventsBlock, 'The webhooks that receive events about users.', eventsOf);
