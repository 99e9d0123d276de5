/** Sets variables of the environment for tests, and puts the former ones back. */
export class Environment {
  private readonly former = new Map<string, string | undefined>();

  set(name: string, value: string | undefined): void {
    if (!this.former.has(name)) this.former.set(name, process.env[name]);
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }

  restore(): void {
    for (const [name, value] of this.former) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    this.former.clear();
  }
}
