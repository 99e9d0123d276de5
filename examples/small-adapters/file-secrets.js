import { readFile } from 'node:fs/promises';
import { block, defineModule, Fault, required, Secrets, text } from 'latchkey/ports';

class FileSecrets extends Secrets {
  constructor(path) {
    super();
    this.path = path;
  }

  async get(name) {
    const secrets = await this.read();
    // Not `secrets[name]`, which would find `constructor`.
    if (!Object.hasOwn(secrets, name)) throw new Fault('secret_unknown', `${this.path} has no secret ${name}`);
    return secrets[name];
  }

  async check(name) {
    await (name === undefined ? this.read() : this.get(name));
    return `secrets come from ${this.path}`;
  }

  async close() {}

  async read() {
    try {
      return JSON.parse(await readFile(this.path, 'utf8'));
    } catch {
      throw new Fault('secrets_unavailable', `${this.path} cannot be read as JSON`);
    }
  }
}

export default defineModule({
  port: 'Secrets',
  portVersion: 2,
  type: 'file',
  configuration: block({ path: required(text, 'The path of the JSON file with the secrets.') }),
  open: async ({ path }) => new FileSecrets(path),
});
