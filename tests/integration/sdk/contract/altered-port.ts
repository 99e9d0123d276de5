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
