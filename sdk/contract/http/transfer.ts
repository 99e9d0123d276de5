import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { newAddress, newPassword } from './client.ts';
import type { Harness } from './harness.ts';
import { exchange, requestText, responsesIn } from './socket.ts';

const maxBodyBytes = 1024 * 1024;

const mediaTypes = (harness: Harness): void => {
  const json = () => JSON.stringify({ email: { address: newAddress() }, password: newPassword(), name: 'é' });

  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json;',
    'application/hal+json',
    'application/vnd.example.user+json; charset=utf-8',
  ]) {
    it(`accepts Content-Type: ${type}`, async () => {
      const { client } = await harness.service();
      const response = await client.post('/users', { raw: json(), headers: { 'Content-Type': type } });
      expect(response.status, response.text).to.equal(201);
      expect(response.properties).to.deep.equal({ name: 'é' });
    });
  }

  for (const type of [
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json-patch+json',
    'application/x+y/json',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    'json',
    '',
  ]) {
    it(`415 for ${type === '' ? 'an empty Content-Type' : `Content-Type: ${type}`}`, async () => {
      const { client } = await harness.service();
      for (const method of ['POST', 'PUT', 'PATCH']) {
        const response = await client.send(method, '/users', { raw: json(), headers: { 'Content-Type': type } });
        expect(response.refusal).to.equal('415 unsupported_media_type');
      }
    });
  }

  for (const [encoding, encode] of Object.entries({
    gzip: gzipSync,
    GZIP: gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
  })) {
    it(`reads Content-Encoding: ${encoding}`, async () => {
      const { client } = await harness.service();
      const sent = { raw: new Uint8Array(encode(json())), headers: { 'Content-Encoding': encoding } };
      const response = await client.post('/users', sent);
      expect(response.status, response.text).to.equal(201);
      expect(response.properties).to.deep.equal({ name: 'é' });
    });
  }

  for (const encoding of ['zstd', 'compress', 'gzip, gzip', 'constructor']) {
    it(`415 for Content-Encoding: ${encoding}`, async () => {
      const { client } = await harness.service();
      const response = await client.post('/users', { raw: json(), headers: { 'Content-Encoding': encoding } });
      expect(response.refusal).to.equal('415 unsupported_encoding');
    });
  }

  it('400 for a body that does not match its encoding, or is truncated', async () => {
    const { client } = await harness.service();
    const whole = new Uint8Array(gzipSync(json()));
    for (const raw of [json(), whole.slice(0, -12), new Uint8Array(0)]) {
      const response = await client.post('/users', { raw, headers: { 'Content-Encoding': 'gzip' } });
      expect(response.refusal).to.be.oneOf(['400 malformed_request', '400 invalid_body']);
    }
  });
};

const lengths = (harness: Harness): void => {
  it('413 for a body of more than 1 MiB, on POST, PUT and PATCH', async () => {
    const { client } = await harness.service();
    for (const method of ['POST', 'PUT', 'PATCH']) {
      const response = await client.send(method, '/users', { raw: ' '.repeat(maxBodyBytes + 1), password: 'any' });
      expect(response.refusal).to.equal('413 body_too_large');
    }
    expect((await client.post('/users', { raw: ' '.repeat(maxBodyBytes) })).refusal).to.equal('400 invalid_json');
  });

  it('413 for a body of more than 1 MiB after decompression, without decompressing all of it', async () => {
    const { client } = await harness.service();
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(64 * maxBodyBytes, ' ')));
    expect(bomb.length).to.be.below(maxBodyBytes);
    const response = await client.post('/users', { raw: bomb, headers: { 'Content-Encoding': 'gzip' } });
    expect(response.refusal).to.equal('413 body_too_large');
  });

  it('reads a chunked body, and counts its bytes: 413', async () => {
    const { client, url } = await harness.service();
    const head = ['POST /users HTTP/1.1', 'Host: localhost', `Authorization: ${client.credentials}`];
    const lines = [...head, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
    const body = JSON.stringify({ email: { address: newAddress() }, password: newPassword() });
    const small = [...body].map(chunk).join('');
    const [created] = responsesIn(await exchange(url, requestText(lines), `${small}0\r\n\r\n`));
    expect(created?.status).to.equal(201);
    const large = chunk(' '.repeat(65_536)).repeat(17);
    const [refused] = responsesIn(await exchange(url, requestText(lines), `${large}0\r\n\r\n`));
    expect(refused?.refusal).to.equal('413 body_too_large');
  });

  it('413 immediately for a Content-Length that is too large', async () => {
    const { client, url } = await harness.service();
    const head = ['POST /users HTTP/1.1', 'Host: localhost', `Authorization: ${client.credentials}`];
    const lines = [...head, 'Content-Type: application/json', `Content-Length: ${maxBodyBytes + 1}`];
    const [response] = responsesIn(await exchange(url, requestText(lines)));
    expect(response?.refusal).to.equal('413 body_too_large');
  });
};

/** Media types, encodings and lengths of bodies. */
export const transfer = (harness: Harness): void => {
  describe('media types and encodings', () => mediaTypes(harness));
  describe('large bodies', () => lengths(harness));
};
