import { serviceSuite } from '../../sdk/contract/http/suite.ts';
import { sqliteDatabase } from './sqlite-database.ts';

serviceSuite(sqliteDatabase);
