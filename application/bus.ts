// biome-ignore-all lint/suspicious/noEmptyInterface: the file of each use case adds its entry to a catalogue.
import type { Interceptor } from './interceptor.ts';

/** A use case: the message that asks for it, and its result. */
export type UseCase<Message, Result> = { readonly message: Message; readonly result: Result };

type Catalogue<C> = { readonly [T in keyof C]: UseCase<{ readonly type: T & string }, unknown> };

/** One handler for each message of a catalogue; a missing handler does not compile. */
export type Handlers<C extends Catalogue<C>> = {
  readonly [T in keyof C]: { handle(message: C[T]['message'], startedMs: number): Promise<C[T]['result']> };
};

/**
 * Passes each message to its handler. The interceptor wraps every dispatch; its operation is the type of the message.
 * `startedMs` is when the operation timeout of the caller started, by the clock of `performance.now()`.
 */
export class Bus<C extends Catalogue<C>> {
  constructor(
    private readonly handlers: Handlers<C>,
    private readonly intercept: Interceptor,
  ) {}

  dispatch<T extends keyof C & string>(
    message: C[T]['message'] & { readonly type: T },
    startedMs = performance.now(),
  ): Promise<C[T]['result']> {
    return this.intercept(message.type, () => this.handlers[message.type].handle(message, startedMs));
  }
}

/** Use cases that change a user. */
export interface Commands {}
/** Use cases that only read. */
export interface Queries {}
/** Use cases of administrators, imports and exports, which act on users without their passwords. */
export interface Administration {}
/** Use cases of people who confirm or cancel a new address; only with `email.confirmChange`. */
export interface Changes {}

/** Use cases of users who forgot their password; only with the block `recovery`. */
export interface Recovery {}

export class CommandBus extends Bus<Commands> {}
export class QueryBus extends Bus<Queries> {}
export class AdministrationBus extends Bus<Administration> {}
export class RecoveryBus extends Bus<Recovery> {}
export class ChangeBus extends Bus<Changes> {}
