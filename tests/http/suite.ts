import { authentication } from './authentication.ts';
import { bodies } from './bodies.ts';
import { type Database, Harness } from './harness.ts';
import { order } from './order.ts';
import { parameters } from './parameters.ts';
import { passwords } from './passwords.ts';
import { customProperties } from './properties.ts';
import { updates } from './update.ts';
import { users } from './users.ts';
import { verification } from './verification.ts';

const themes = [users, updates, verification, authentication, order, parameters, passwords, bodies, customProperties];

/** Walks the whole specification over a real socket, with the users in a database. */
export const httpSuite = (database: Database): void => {
  describe(`the service over ${database.name}`, () => {
    const harness = new Harness(database);
    after(() => harness.close());
    for (const theme of themes) theme(harness);
  });
};
