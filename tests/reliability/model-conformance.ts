import { expect } from 'chai';
import fc from 'fast-check';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { mergeValues } from '../../sdk/contract/merge-patches.ts';
import { at, type Caller, type HttpResponse } from './caller.ts';
import { withService } from './databases.ts';
import type { Guarantee } from './guarantee.ts';

/** A user of the model, as docs/api.md describes it. */
interface ModelUser {
  address: string;
  password: string;
  verified: boolean;
  token: string | null;
  properties: object;
  created: number;
  updated: number;
  /** The entity tag of the newest version. */
  etag: string;
}

/** The users by the lower case of their addresses. */
type Model = Map<string, ModelUser>;
interface Real {
  readonly caller: Caller;
  /** Part of the addresses, so that sequences do not share users. */
  readonly sequence: number;
}

/** An operation on one of three users, with the correct password or a wrong one. */
interface Step {
  readonly kind:
    | 'create'
    | 'read'
    | 'update'
    | 'rename'
    | 'patch'
    | 'patchAddress'
    | 'verify'
    | 'confirm'
    | 'reset'
    | 'delete';
  readonly who: number;
  readonly toWhom: number;
  readonly upper: boolean;
  readonly right: boolean;
  readonly newPassword: string | undefined;
  readonly properties: object;
  /** Whether If-Match has the version that the model knows, an older one, or is not sent. */
  readonly ifMatch: 'current' | 'older' | undefined;
}

const reserved = ['email', 'password', 'creationTime', 'lastUpdateTime', '__proto__'];
/** Whether the service accepts a property value: no integer beyond 2^53 - 1, and no `__proto__`. */
const isAccepted = (value: unknown): boolean => {
  let accepted = true;
  JSON.stringify(value, (name, inner) => {
    if (name === '__proto__' || (Number.isInteger(inner) && !Number.isSafeInteger(inner) && !/e/.test(String(inner))))
      accepted = false;
    return inner;
  });
  return accepted;
};
/** Few names, so that patches meet members that exist. */
const names = fc.oneof(
  fc.constantFrom('a', 'b', 'c'),
  fc.string({ maxLength: 8 }).filter((name) => !reserved.includes(name) && !/^\d+$/.test(name)),
);
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.dictionary(names, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
);

/** The operations that change a user under If-Match. */
const conditional: ReadonlySet<Step['kind']> = new Set([
  'update',
  'rename',
  'patch',
  'patchAddress',
  'verify',
  'reset',
  'delete',
]);

const steps: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    'create',
    'create',
    'read',
    'update',
    'rename',
    'patch',
    'patch',
    'patchAddress',
    'verify',
    'confirm',
    'reset',
    'delete',
  ),
  who: fc.nat(2),
  toWhom: fc.nat(2),
  upper: fc.boolean(),
  right: fc.integer({ min: 0, max: 4 }).map((randomBelow) => randomBelow > 0),
  newPassword: fc.option(fc.stringMatching(/^[!-~]{1,20}$/), { nil: undefined }),
  properties: fc.dictionary(names, values.filter(isAccepted), { maxKeys: 4 }),
  ifMatch: fc.constantFrom(undefined, undefined, undefined, 'current', 'older'),
});

const matches = (response: HttpResponse, user: ModelUser): void => {
  const { email, password, creationTime, lastUpdateTime, ...properties } = JSON.parse(response.body);
  expect(email).to.deep.equal({
    address: user.address,
    verified: user.verified,
    verificationToken: user.token,
  });
  expect(password).to.equal(user.password);
  expect(creationTime).to.equal(user.created);
  expect(lastUpdateTime).to.equal(user.updated);
  expect(response.headers.etag).to.equal(user.etag);
  // Compared as JSON, because -0 and 0 are the same there.
  expect(JSON.stringify(properties)).to.equal(JSON.stringify(user.properties));
};

class StepCommand implements fc.AsyncCommand<Model, Real> {
  constructor(private readonly step: Step) {}

  check(): boolean {
    return true;
  }

  toString(): string {
    return JSON.stringify(this.step);
  }

  async run(model: Model, real: Real): Promise<void> {
    const { kind, who, upper } = this.step;
    const plain = `user-${who}-of-${real.sequence}@example.com`;
    const address = upper ? plain.toUpperCase() : plain;
    const user = model.get(plain);
    if (kind === 'create') return this.create(model, real, plain, address, user);
    if (kind === 'confirm') return this.confirm(real, address, user);
    const password = this.step.right ? (user?.password ?? 'any') : `${user?.password}x`;
    const response = await this.ask(real, address, password, user);
    if (user === undefined) return this.expectStatus(response, 404);
    if (!this.step.right) return this.expectStatus(response, 401);
    if (this.step.ifMatch === 'older' && conditional.has(kind)) return this.expectStatus(response, 412);
    await this.apply(model, real, plain, address, user, response);
  }

  private ask(
    { caller, sequence }: Real,
    address: string,
    password: string,
    user: ModelUser | undefined,
  ): Promise<HttpResponse | undefined> {
    const { kind, toWhom, upper, newPassword, properties, ifMatch } = this.step;
    const version = ifMatch === 'current' ? (user?.etag ?? '"none"') : '"older"';
    const headers = { password, ...(ifMatch !== undefined && conditional.has(kind) && { 'If-Match': version }) };
    const target = this.isRename ? `user-${toWhom}-of-${sequence}@example.com` : address;
    const body = { email: { address: target }, ...(newPassword && { password: newPassword }), ...properties };
    const query = at(address).slice('/users'.length);
    switch (kind) {
      case 'read':
        return caller.call('GET', at(address), undefined, headers);
      case 'update':
      case 'rename':
        return caller.call('PUT', at(address), body, headers);
      case 'patch':
      case 'patchAddress': {
        const { email, ...others } = body;
        const patch = this.isRename || upper ? body : others;
        return caller.call('PATCH', at(address), patch, { ...headers, 'Content-Type': 'application/merge-patch+json' });
      }
      case 'delete':
        return caller.call('DELETE', at(address), undefined, headers);
      case 'verify':
        return caller.call('POST', `/verify${query}`, undefined, headers);
      default:
        return caller.call('POST', `/verify/reset${query}`, undefined, headers);
    }
  }

  private async create(model: Model, { caller }: Real, plain: string, address: string, user: ModelUser | undefined) {
    const { newPassword = 'initial', properties } = this.step;
    const response = await caller.call('POST', '/users', { email: { address }, password: newPassword, ...properties });
    if (user !== undefined) return this.expectStatus(response, 409);
    this.expectStatus(response, 201);
    const { creationTime: created } = JSON.parse(response!.body);
    const fresh = {
      address,
      password: newPassword,
      verified: false,
      token: null,
      properties,
      created,
      updated: created,
      etag: String(response!.headers.etag),
    };
    matches(response!, fresh);
    model.set(plain, fresh);
  }

  private async confirm({ caller }: Real, address: string, user: ModelUser | undefined) {
    const token = this.step.right && user?.token ? user.token : '00000000-0000-4000-8000-000000000000';
    const response = await caller.call('GET', `/verify${at(address).slice('/users'.length)}&token=${token}`);
    if (user === undefined) return this.expectStatus(response, 404);
    if (user.token !== token) return this.expectStatus(response, 400);
    this.expectStatus(response, 200);
    if (!user.verified) this.later(user, response!);
    user.verified = true;
    matches(response!, user);
  }

  /** Applies an authorized step to the model, and compares the response. */
  private async apply(
    model: Model,
    real: Real,
    plain: string,
    address: string,
    user: ModelUser,
    response: HttpResponse | undefined,
  ) {
    const { kind, toWhom, newPassword, properties } = this.step;
    const target = this.isRename ? `user-${toWhom}-of-${real.sequence}@example.com` : plain;
    if (target !== plain && model.has(target)) return this.expectStatus(response, 409);
    this.expectStatus(response, 200);
    const { email } = JSON.parse(response!.body);
    if (kind === 'update' || kind === 'rename') {
      this.later(user, response!);
      Object.assign(user, { address: kind === 'rename' ? target : address, properties });
      if (newPassword !== undefined) user.password = newPassword;
      if (target !== plain) Object.assign(user, { verified: false, token: null });
      model.delete(plain);
      model.set(target, user);
    } else if (kind === 'patch' || kind === 'patchAddress') {
      const before = JSON.stringify({ ...user, etag: '' });
      user.properties = Object(mergeValues(user.properties, properties));
      if (this.isRename || this.step.upper) user.address = this.isRename ? target : address;
      if (newPassword !== undefined) user.password = newPassword;
      if (target !== plain) Object.assign(user, { verified: false, token: null });
      // A patch that changes nothing writes nothing.
      if (JSON.stringify({ ...user, etag: '' }) !== before) this.later(user, response!);
      model.delete(plain);
      model.set(target, user);
    } else if (kind === 'verify') {
      this.later(user, response!);
      expect(email.verificationToken)
        .to.match(/^[0-9a-f-]{36}$/)
        .and.not.equal(user.token);
      Object.assign(user, { verified: false, token: email.verificationToken });
    } else if (kind === 'reset') {
      if (user.verified || user.token !== null) this.later(user, response!);
      Object.assign(user, { verified: false, token: null });
    } else if (kind === 'delete') model.delete(plain);
    matches(response!, user);
  }

  private get isRename(): boolean {
    return this.step.kind === 'rename' || this.step.kind === 'patchAddress';
  }

  private later(user: ModelUser, { body, headers }: HttpResponse): void {
    const { lastUpdateTime } = JSON.parse(body);
    expect(lastUpdateTime, 'lastUpdateTime increases with each change').to.be.greaterThan(user.updated);
    user.updated = lastUpdateTime;
    expect(headers.etag, 'each version has a new entity tag').to.not.equal(user.etag);
    user.etag = String(headers.etag);
  }

  private expectStatus(response: HttpResponse | undefined, status: number): void {
    expect(response?.status, `${this} ${response?.body}`).to.equal(status);
  }
}

/** A round is a random sequence of operations; every response is compared with a model. */
export const modelConformance = (database: Database, rounds: Guarantee['rounds']): Guarantee => ({
  name: `random sequences of operations on ${database.name} get the responses of a reference model`,
  rounds,
  timeoutMs: 60_000,
  run: (sequences, random) =>
    withService(database, async (caller) => {
      let sequence = 0;
      let count = 0;
      const commands = fc.commands([steps.map((step) => new StepCommand(step))], { maxCommands: 30, size: 'max' });
      await fc.assert(
        fc.asyncProperty(commands, async (chosen) => {
          sequence += 1;
          count += [...chosen].length;
          await fc.asyncModelRun(() => ({ model: new Map(), real: { caller, sequence } }), chosen);
        }),
        { numRuns: sequences, seed: random.below(2 ** 31) },
      );
      return `${sequences} sequences, ${count} steps, every response as in the model`;
    }),
});
