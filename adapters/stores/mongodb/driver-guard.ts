/**
 * Makes the driver end a connection on which the server sent a malformed message. Some of them made version 7.8.0 loop
 * without end, until the process had no memory left.
 */
import { MongoNetworkError } from 'mongodb';
import { OpMsgResponse, OpReply } from 'mongodb/lib/cmap/commands.js';
import { SizedMessageTransform } from 'mongodb/lib/cmap/connection.js';

const headerBytes = 16;
/** The size of a document without fields. */
const minDocumentBytes = 5;
/** After the flags of a message. */
const sectionsAt = 4;
const numberReturnedAt = 16;

/** An error of the connection, so that the driver repeats what it repeats after a lost reply. */
const malformed = (cause?: Error): MongoNetworkError =>
  new MongoNetworkError('malformed message of the server', cause && { cause });

/** A number of a message; 0 beyond its end. */
const numberAt = ({ buffer, byteOffset, length }: Uint8Array, at: number): number =>
  at + 4 <= length ? new DataView(buffer, byteOffset + at, 4).getInt32(0, true) : 0;

const messages = SizedMessageTransform.prototype;
const { push, _transform: transform } = messages;

// The driver would read a message of 0 bytes again and again. It ends the connection if this returns false.
messages.push = function (message: Uint8Array | null, encoding?: BufferEncoding) {
  return (message === null || message.length >= headerBytes) && push.call(this, message, encoding);
};

// The driver's own errors here, such as that of a negative length, have the class of errors in its arguments.
messages._transform = function (chunk, encoding, callback) {
  transform.call(this, chunk, encoding, (error, data) => callback(error && malformed(error), data));
};

const { parse } = OpMsgResponse.prototype;
OpMsgResponse.prototype.parse = function () {
  const { data } = this;
  // The driver steps through the sections in the same way, and a negative size takes it back to one that it has read.
  for (let at = sectionsAt; at < data.length; at++) {
    if (data[at] !== 0) continue;
    const size = numberAt(data, at + 1);
    if (size < minDocumentBytes) throw malformed();
    at += size;
  }
  return parse.call(this);
};

const { parse: parseReply } = OpReply.prototype;
OpReply.prototype.parse = function () {
  // The reply to a command has one document. The driver makes a list of as many as the message says.
  if (numberAt(this.data, numberReturnedAt) !== 1) throw malformed();
  return parseReply.call(this);
};
