import { DeleteUserHandler } from '../../application/accounts/delete-user.ts';
import { GetUserHandler } from '../../application/accounts/get-user.ts';
import { DisableUserHandler, EnableUserHandler } from '../../application/administration/disable-user.ts';
import { EditPropertiesHandler } from '../../application/administration/edit-properties.ts';
import { GetAttemptsHandler } from '../../application/administration/get-attempts.ts';
import { ImportUserHandler } from '../../application/administration/import-user.ts';
import { ListMailsHandler } from '../../application/administration/list-mails.ts';
import { ListUsersHandler } from '../../application/administration/list-users.ts';
import {
  ClearPasswordHandler,
  RequirePasswordChangeHandler,
  SetPasswordHandler,
  WithdrawPasswordChangeHandler,
} from '../../application/administration/set-password.ts';
import { UnblockUserHandler } from '../../application/administration/unblock-user.ts';
import type { Administration, Handlers } from '../../application/bus.ts';
import { PasswordUpdate } from '../../application/passwords/password-update.ts';
import { Clock } from '../../application/ports/clock.ts';
import { PasswordHash } from '../../application/ports/password-hash.ts';
import { ResetVerificationHandler } from '../../application/verification/reset-verification.ts';
import { unrestricted } from '../../application/writing/authorization.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../application/writing/settling-store.ts';
import type { Services } from '../features/feature.ts';
import type { Policies } from '../service/policies.ts';

/** The use cases of administrators, imports and exports, which act on users without their passwords. */
export const administrationOf = ({ limits }: Policies, services: Services): Handlers<Administration> => {
  const { get, attempts, tokenAttempts, passwordRules, adapters } = services;
  const { store, log } = adapters;
  const [users, updates] = [get(SettlingStore), get(OptimisticUpdate)];
  const [hash, passwords, clock] = [get(PasswordHash), get(PasswordUpdate), get(Clock)];
  const counters = [attempts, tokenAttempts].filter((counter) => counter !== undefined);
  return {
    GetUser: new GetUserHandler(users, unrestricted),
    ListUsers: new ListUsersHandler(store.listing, clock, attempts, log),
    ListMails: new ListMailsHandler(store.events),
    DeleteUser: new DeleteUserHandler(updates, unrestricted),
    ResetVerification: new ResetVerificationHandler(updates, unrestricted, clock),
    ImportUser: new ImportUserHandler(users, hash, limits, passwordRules),
    DisableUser: new DisableUserHandler(updates, clock),
    EnableUser: new EnableUserHandler(updates, clock),
    EditProperties: new EditPropertiesHandler(updates, clock, limits),
    RequirePasswordChange: new RequirePasswordChangeHandler(updates, clock),
    WithdrawPasswordChange: new WithdrawPasswordChangeHandler(updates, clock),
    SetPassword: new SetPasswordHandler(updates, passwords, clock, limits),
    ClearPassword: new ClearPasswordHandler(updates, hash, clock, limits),
    GetAttempts: new GetAttemptsHandler(users, attempts, tokenAttempts),
    UnblockUser: new UnblockUserHandler(users, counters),
  };
};
