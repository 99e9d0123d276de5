import { mongodb } from '../../../../../adapters/stores/mongodb/index.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';

// Sends the code and the message of the error of a check.
const [connectionString = ''] = process.argv.slice(2);
const block = { connectionString, databaseName: 'accounts', collectionName: 'users' };
const { users } = await mongodb.open(block, { ...silentContext, operationTimeoutMs: 1_200 });
const fault = await rejection(users.check());
process.send?.(fault instanceof Error && 'code' in fault ? [fault.code, fault.message] : [String(fault)]);
await users.close();
process.disconnect();
