import { createHash } from 'node:crypto';
import { map, right } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { block, optional, required, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { type Codec, choice, list, longDuration, refine, text } from '../../adapters/kit/option-codecs.ts';
import { type EventType, eventTypes } from '../../application/users/domain-events.ts';

/** One receiver of events. */
export interface Webhook {
  /** A short hash of the URL: the records of the store name the receiver by it, so that its secret may change. */
  readonly destination: string;
  readonly url: string;
  readonly secret: string;
  readonly types: readonly EventType[];
}

/** The block `events`. */
export interface Events {
  readonly webhooks: readonly Webhook[];
  /** How old an event may become before it is removed undelivered, in milliseconds. */
  readonly maxAge: number;
}

const isWebhookUrl = (value: string): boolean => {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return false;
  const { username, password, hash } = new URL(value);
  return username === '' && password === '' && hash === '';
};

const webhookUrl: Codec<string> = refine(
  text,
  isWebhookUrl,
  'expected an http or https URL without user and fragment, such as https://example.com/hooks/latchkey',
);

// Standard Webhooks, "Symmetric": 24 to 64 random bytes in base64, behind a prefix that tells what it is.
const prefix = 'whsec_';
const shortestKey = 24;
const longestKey = 64;

const isSecret = (value: string): boolean => {
  const encoded = value.slice(prefix.length);
  if (!value.startsWith(prefix) || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return false;
  const key = Buffer.from(encoded, 'base64');
  return key.length >= shortestKey && key.length <= longestKey && key.toString('base64') === encoded;
};

const webhookSecret: Codec<string> = refine(
  text,
  isSecret,
  `is no secret of Standard Webhooks; expected ${prefix} and ${shortestKey} to ${longestKey} bytes in base64, such as echo ${prefix}$(openssl rand -base64 32) makes`,
);

/** An entry of `events.webhooks`. */
export const webhookBlock = block({
  url: required(webhookUrl, 'Where the events are sent with POST; a redirect is not followed.'),
  secret: required(
    webhookSecret,
    'The secret that signs them (Standard Webhooks): whsec_ and 24 to 64 bytes in base64.',
  ),
  types: withDefault(
    refine(list(choice(eventTypes)), (types) => types.length > 0, 'names no type; leave it out for all of them'),
    eventTypes,
    'Which events it gets.',
  ),
});

const mostWebhooks = 20;
const shortestAge = 1_000;
/** Longer than a weekend with holidays, so that people can mend a receiver before an event is lost. */
const defaultAge = 7 * 86_400_000;

const destinationOf = (url: string): string => createHash('sha256').update(url).digest('hex').slice(0, 16);

const isTwice = ({ url }: { readonly url: string }, index: number, all: readonly { readonly url: string }[]): boolean =>
  all.findIndex((other) => other.url === url) !== index;

/** The block `events`. */
export const eventsBlock = block({
  webhooks: required(
    refine(
      refine(list(webhookBlock), ({ length }) => length <= mostWebhooks, `expected at most ${mostWebhooks} of them`),
      (webhooks) => !webhooks.some(isTwice),
      'names a url twice; write it once, with the types of both',
    ),
    'Who is told of what happens to users; with an empty list nobody, while events from before expire.',
  ),
  maxAge: optional(
    refine(longDuration, (age) => age >= shortestAge, 'expected at least 1s'),
    'How old an event may become: one that no webhook took by then is removed, also one for a webhook that is no longer configured; 7d by default.',
  ),
});

const eventsOf = ({ webhooks, maxAge }: Values<typeof eventsBlock.options>): Events => ({
  maxAge: maxAge ?? defaultAge,
  webhooks: webhooks.map((webhook) => ({ ...webhook, destination: destinationOf(webhook.url) })),
});

/** Decodes the block; null when it is absent, and then nothing is announced. */
export const decodeEvents = (given: unknown, context: t.Context): t.Validation<Events | null> =>
  given === undefined ? right(null) : map(eventsOf)(eventsBlock.validate(given, context));
