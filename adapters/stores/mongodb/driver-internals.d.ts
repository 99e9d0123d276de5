/** The parts of the driver that `driver-guard.ts` changes. The driver has no types for them. */
declare module 'mongodb/lib/cmap/connection.js' {
  import type { Transform } from 'node:stream';

  /** Splits what a server sends into messages. */
  export class SizedMessageTransform extends Transform {}
}

declare module 'mongodb/lib/cmap/commands.js' {
  /** The body of a message, after its header. */
  export class OpMsgResponse {
    readonly data: Uint8Array;
    parse(): Uint8Array;
  }
  export class OpReply {
    readonly data: Uint8Array;
    parse(): Uint8Array;
  }
}
