// biome-ignore-all lint/suspicious/noEmptyInterface: the file of each use case adds its entry to a catalogue.
import type { Interceptor } from './interceptor.ts';

/** A use case: the message that asks for it, and its result. */
export type UseCase<Message, Result> = { readonly message: Message; readonly result: Result };

/** A use case of an optional feature, which has a handler only where the feature is configured. */
export type OptionalUseCase<Message, Result> = UseCase<Message, Result> & { readonly isOptional: true };

type Catalogue<C> = { readonly [T in keyof C]: UseCase<{ readonly type: T & string }, unknown> };
type Handler<U extends UseCase<unknown, unknown>> = {
  /** The operation for the interceptor, if it is not the type of the message. */
  readonly label?: string | undefined;
  handle(message: U['message'], startedMs: number): Promise<U['result']>;
};
type OptionalIn<C> = { [T in keyof C]: C[T] extends { readonly isOptional: true } ? T : never }[keyof C];

/** Handlers for some messages of a catalogue. */
export type SomeHandlers<C extends Catalogue<C>> = { readonly [T in keyof C]?: Handler<C[T]> };

/** One handler for each message of a catalogue, except for those of optional features; a missing one does not compile. */
export type Handlers<C extends Catalogue<C>> = SomeHandlers<C> & {
  readonly [T in Exclude<keyof C, OptionalIn<C>>]: Handler<C[T]>;
};

/**
 * Passes each message to its handler. The interceptor wraps every dispatch; its operation is the type of the message,
 * or the label of the handler.
 * `startedMs` is when the operation timeout of the caller started, by the clock of `performance.now()`.
 */
export class Bus<C extends Catalogue<C>> {
  constructor(
    private readonly handlers: SomeHandlers<C>,
    private readonly intercept: Interceptor,
  ) {}

  /** Whether it has a handler for such messages: for those of an optional feature, whether that is configured. */
  handles(type: keyof C): boolean {
    return this.handlers[type] !== undefined;
  }

  /** Throws a TypeError for a message of a feature that is not configured; its routes do not exist then. */
  dispatch<T extends keyof C & string>(
    message: C[T]['message'] & { readonly type: T },
    startedMs = performance.now(),
  ): Promise<C[T]['result']> {
    const handler = this.handlers[message.type];
    if (handler === undefined) throw new TypeError(`${message.type} belongs to a feature that is not configured`);
    return this.intercept(handler.label ?? message.type, () => handler.handle(message, startedMs));
  }
}

/** Use cases that change a user. */
export interface Commands {}
/** Use cases that only read. */
export interface Queries {}

export class CommandBus extends Bus<Commands> {}
export class QueryBus extends Bus<Queries> {}
