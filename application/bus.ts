import type { Around } from './ports/around.ts';

/** A use case: the message that asks for it, and what comes back. */
export interface UseCase<Message extends { readonly type: string }, Result> {
  readonly message: Message;
  readonly result: Result;
}

type Catalogue<C> = { readonly [T in keyof C]: UseCase<{ readonly type: T & string }, unknown> };

/** One handler for each message of a catalogue; a missing one does not compile. */
export type Handlers<C extends Catalogue<C>> = {
  readonly [T in keyof C]: { handle(message: C[T]['message']): Promise<C[T]['result']> };
};

/** Takes each message to its handler. */
export class Bus<C extends Catalogue<C>> {
  constructor(
    private readonly handlers: Handlers<C>,
    /** Wraps every dispatch, under the type of its message. */
    private readonly around: Around,
  ) {}

  dispatch<T extends keyof C & string>(message: C[T]['message'] & { readonly type: T }): Promise<C[T]['result']> {
    return this.around(message.type, () => this.handlers[message.type].handle(message));
  }
}
