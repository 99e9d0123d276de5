import { httpSuite } from '../../sdk/contract/http/suite.ts';
import { sqliteDatabase } from './sqlite-database.ts';

httpSuite(sqliteDatabase);
