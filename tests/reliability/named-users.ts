import { expect } from 'chai';
import { Installation, type Serving } from '../process/installation.ts';
import { expectWholeNames } from '../support/names/stored-names.ts';
import { Caller, type HttpResponse } from './caller.ts';
import type { ReadableDatabase } from './databases.ts';
import type { PlannedKill } from './kill.ts';

export const password = 'a password of the names';

/** A configuration with ids and a unique property. */
export const withNames = {
  users: { ids: true },
  properties: {
    allowSuperset: true,
    allowed: [{ name: 'username', type: 'string', unique: true, fold: 'caseless' }],
  },
};

/** What names a user in a request. */
export type Parameter = 'email' | 'id' | 'username';

/** The path of the user whom a parameter names. */
export const by = (parameter: Parameter, value: string): string => `/users?${parameter}=${encodeURIComponent(value)}`;

/** The status of a response, and the code of a refusal. */
export const outcomeOf = ({ status, body }: HttpResponse): string =>
  status < 400 ? String(status) : `${status} ${JSON.parse(body).code}`;

/** Reads a user; undefined if there is none. */
export const readBy = async (caller: Caller, parameter: Parameter, value: string) => {
  const response = await caller.call('GET', by(parameter, value), undefined, { password });
  if (response === undefined) throw new Error('a read was not answered');
  expect(response.status, response.body).to.be.oneOf([200, 404]);
  return response.status === 200 ? JSON.parse(response.body) : undefined;
};

/** A service with names that can be killed and started again on the same database. */
export class NamedService {
  private serving: Serving | undefined;
  /** How many names were found and checked in the database. */
  names = 0;

  private constructor(
    private readonly installation: Installation,
    private readonly opened: Awaited<ReturnType<ReadableDatabase['open']>>,
  ) {}

  static async open(database: ReadableDatabase): Promise<NamedService> {
    const opened = await database.open();
    const installation = await Installation.create();
    await installation.configure({ database: opened.yaml, ...withNames });
    return new NamedService(installation, opened);
  }

  /** Starts the service if it does not run, and calls it. */
  async use<Result>(call: (caller: Caller, serving: Serving) => Promise<Result>): Promise<Result> {
    this.serving ??= await this.installation.serve();
    const caller = new Caller(this.serving.url, 30_000);
    try {
      return await call(caller, this.serving);
    } finally {
      caller.close();
    }
  }

  /**
   * Calls the service, which `call` kills, and checks the names in the whole database before the next start. `planned`
   * starts it if it does not run.
   */
  async useUntilKilled<Result>(
    call: (caller: Caller, serving: Serving) => Promise<Result>,
    planned?: PlannedKill,
  ): Promise<Result> {
    this.serving ??= await planned?.serve(this.installation);
    const result = await this.use(call);
    expect(await this.serving?.run.ended).to.equal('SIGKILL');
    this.serving = undefined;
    await this.check();
    return result;
  }

  /** Checks the names in the whole database. */
  async check(): Promise<void> {
    this.names += expectWholeNames(await this.opened.readNames(this.installation.folder));
  }

  async dispose(): Promise<void> {
    await this.installation.dispose();
    await this.opened.dispose();
  }
}
