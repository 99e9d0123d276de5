import { setTimeout } from 'node:timers/promises';

/** The time in which a database behind a network replies, and in which other callers run. */
export const roundTrip = (): Promise<void> => setTimeout(2);

/** A port with some of its methods replaced. */
export const altered = <Port extends object>(port: Port, methods: Partial<Port>): Port =>
  new Proxy(port, {
    get: (target, name) => {
      const member = Reflect.get(name in methods ? methods : target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });

/** A pattern that matches a text literally. */
export const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Runs one call after the other. */
export const oneByOne = <Input extends readonly unknown[], Output>(run: (...input: Input) => Promise<Output>) => {
  let last: Promise<unknown> = Promise.resolve();
  return (...input: Input): Promise<Output> => {
    const next = last.then(() => run(...input));
    last = next.catch(() => undefined);
    return next;
  };
};
