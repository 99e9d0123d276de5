import type { Interceptor } from '../../application/interceptor.ts';

type AsyncMethod = (first: never, second: never, third: never) => Promise<unknown>;

/** Which methods of a port are intercepted. Only methods that return a Promise, with at most three parameters, can be. */
export type InterceptedMethods<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends AsyncMethod ? boolean : false;
};

/**
 * Returns a port whose intercepted methods run inside the interceptor, under the name of the method. All other methods
 * are those of `port`. It is built once: a call costs one closure more than a call of `port`.
 */
export const intercept = <Port extends object>(
  port: Port,
  methods: InterceptedMethods<Port>,
  interceptor: Interceptor,
): Port => {
  const intercepted: Port = Object.create(Object.getPrototypeOf(port));
  for (const [name, isIntercepted] of Object.entries(methods)) {
    const method: unknown = Reflect.get(port, name);
    if (typeof method !== 'function') throw new TypeError(`the port has no method ${name}`);
    const bound = method.bind(port);
    // Passing three parameters is cheaper than spreading an array.
    const wrapper = (first: unknown, second: unknown, third: unknown) =>
      interceptor(name, () => bound(first, second, third));
    Object.defineProperty(intercepted, name, { value: isIntercepted ? wrapper : bound });
  }
  return intercepted;
};
