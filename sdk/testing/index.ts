/** A Latchkey for the tests of the systems that use it. */
export type {
  AuthOptions,
  EmailOptions,
  LatchkeyConfiguration,
  LoggingOptions,
  OpenApiOptions,
  PasswordHashOptions,
  PropertiesOptions,
  ServerOptions,
} from './configuration.ts';
export type { KeptMail } from './kept-mails.ts';
export { startLatchkey, type TestLatchkey } from './start-latchkey.ts';
