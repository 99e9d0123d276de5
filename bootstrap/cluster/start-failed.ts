/** A worker ended before it listened, with this exit status; it has said why on standard error. */
export class StartFailed extends Error {
  constructor(readonly status: number) {
    super('a worker could not start');
  }
}
