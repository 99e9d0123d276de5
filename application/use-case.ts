/** A use case: the message that asks for it, and its result. */
export interface UseCase<Message extends { readonly type: string }, Result> {
  readonly message: Message;
  readonly result: Result;
}
