import { Bus, type UseCase } from './bus.ts';
import type { DeleteUser, DeleteUserResult } from './commands/delete-user.ts';
import type { ImportUser, ImportUserResult } from './commands/import-user.ts';
import type { ResetVerification, ResetVerificationResult } from './commands/reset-verification.ts';
import type { GetUser, GetUserResult } from './queries/get-user.ts';
import type { ListUsers, ListUsersResult } from './queries/list-users.ts';

/** Use cases of administrators, who do not have the password of a user. */
export type Administration = {
  readonly GetUser: UseCase<GetUser, GetUserResult<'user_not_found'>>;
  readonly ListUsers: UseCase<ListUsers, ListUsersResult>;
  readonly DeleteUser: UseCase<DeleteUser, DeleteUserResult<'user_not_found'>>;
  readonly ResetVerification: UseCase<ResetVerification, ResetVerificationResult<'user_not_found'>>;
};

export class AdministrationBus extends Bus<Administration> {}
/** The use cases of the commands `import` and `export`. */
export class ImportBus extends Bus<{ readonly ImportUser: UseCase<ImportUser, ImportUserResult> }> {}
export class ExportBus extends Bus<Pick<Administration, 'ListUsers'>> {}
