import type { WrittenConfiguration } from '../../bootstrap/configuration/configuration.ts';

/** The configuration file as an object: the same blocks, keys and values, in the types of their declarations. */
export interface LatchkeyConfiguration extends WrittenConfiguration {}

/** A block of the configuration. */
type Block<Name extends keyof LatchkeyConfiguration> = NonNullable<LatchkeyConfiguration[Name]>;

export type AdminOptions = Block<'admin'>;
export type AuditOptions = Block<'audit'>;
export type AuthOptions = Block<'auth'>;
export type EmailOptions = Block<'email'>;
export type EventsOptions = Block<'events'>;
export type LoggingOptions = Block<'logging'>;
export type OpenApiOptions = Block<'openApi'>;
export type PasswordHashOptions = Block<'passwordHash'>;
export type PrivacyOptions = Block<'privacy'>;
export type PropertiesOptions = Block<'properties'>;
export type ServerOptions = Block<'server'>;
export type ThrottleOptions = Block<'throttle'>;
