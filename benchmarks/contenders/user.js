// The response body of every server: the bytes that Latchkey sends for the same row.

/** The columns of a user in Latchkey's table. */
export const columns = 'address, verified, verification_token, password, creation_time, last_update_time, properties';

const quoted = (text) => (text === null ? 'null' : JSON.stringify(text));

/** The JSON of a row of `columns`; the custom properties are stored as the text of a JSON object. */
export const json = ([address, verified, token, password, created, updated, properties]) =>
  `{"email":{"address":${quoted(address)},"verified":${verified === 1},"verificationToken":${quoted(token)}},` +
  `"password":${quoted(password)},"creationTime":${created},"lastUpdateTime":${updated},${properties.slice(1)}`;
