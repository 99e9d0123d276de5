import { FailedLogins } from './failed-logins.ts';
import { FormTokens } from './pages/page-inputs.ts';

/** What the administration of a process keeps while its configuration is replaced. */
export class AdministrationMemory {
  readonly logins = new FailedLogins();
  readonly tokens = new FormTokens();
}
