/** `latchkey/testing`: starts Latchkey in tests of systems that use it. */
export type {
  AdminOptions,
  AuditOptions,
  AuthOptions,
  EmailOptions,
  EventsOptions,
  LatchkeyConfiguration,
  LoggingOptions,
  OpenApiOptions,
  PasswordHashOptions,
  PrivacyOptions,
  PropertiesOptions,
  ServerOptions,
  ThrottleOptions,
} from './configuration.ts';
export type { RecordedMail } from './recorded-mails.ts';
export { startLatchkey, type TestLatchkey } from './start-latchkey.ts';
