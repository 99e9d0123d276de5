import { fileURLToPath } from 'node:url';
import { type Either, isLeft, left, mapLeft, right } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { AdapterContext, AdapterDefinition } from '../../adapters/kit/definition.ts';
import { type PortName, type Ports, portMethods } from '../../adapters/kit/definition.ts';
import { isMapping } from '../../adapters/kit/option-block.ts';
import { Fault, type FaultCode } from '../../application/fault.ts';
import { type AdapterFactory, adapterFactory } from '../registry.ts';
import { definitionIn } from './definition.ts';
import { placeOf } from './place.ts';
import { importReasonOf, reasonOf } from './reason.ts';

const rejected: Readonly<Record<PortName, FaultCode>> = {
  UserStore: 'store_rejected',
  Mailer: 'mail_failed',
  Secrets: 'secrets_unavailable',
  PasswordHash: 'store_rejected',
};

/** The methods of a port that an opened adapter does not have. */
const missingIn = (opened: unknown, port: PortName): readonly string[] =>
  Object.entries(portMethods[port]).flatMap(([member, methods]) => {
    const name = member.replace('?', '');
    const found = name === '' || !isMapping(opened) ? opened : opened[name];
    if (found === undefined && name !== member) return [];
    const lacking = methods.filter((method) => !isMapping(found) || typeof found[method] !== 'function');
    return lacking.map((method) => (name === '' ? method : `${name}.${method}`));
  });

/** A definition whose `open` gives what it promised, or throws a Fault: nobody compiled it together with the service. */
const guarded = <Name extends PortName>(
  definition: AdapterDefinition<unknown, Ports[Name]>,
  port: Name,
): AdapterDefinition<unknown, Ports[Name]> => {
  const fault = (what: string): Fault => new Fault(rejected[port], `the adapter ${definition.type} ${what}`);
  const attempt = async (configuration: unknown, tools: AdapterContext): Promise<Ports[Name]> => {
    try {
      return await definition.open(configuration, tools);
    } catch (error) {
      throw error instanceof Fault ? error : fault(`failed to open: ${reasonOf(error)}`);
    }
  };
  return {
    type: definition.type,
    configuration: definition.configuration,
    open: async (configuration, tools) => {
      const opened = await attempt(configuration, tools);
      const lacking = missingIn(opened, port);
      if (lacking.length > 0) throw fault(`opened no ${port}: it lacks ${lacking.join(', ')}`);
      return opened;
    },
  };
};

/** Errors with a text: a codec of io-ts itself has none. The name of a codec is written by its author and holds no value. */
const worded = (errors: t.Errors): t.Errors =>
  errors.map((error) => ({
    ...error,
    message: error.message ?? `expected ${error.context.at(-1)?.type.name ?? 'another value'}`,
  }));

const offered = <Port>(definition: AdapterDefinition<unknown, Port>): AdapterFactory<Port> => {
  const { options, prepare } = adapterFactory(definition);
  return { options, prepare: (keys, context) => mapLeft(worded)(prepare(keys, context)) };
};

const installation = fileURLToPath(new URL('.', import.meta.url));

/**
 * Loads the adapter of a port from a package or a file: looked for from these folders in turn, then from where Latchkey
 * itself is installed. Left: what is wrong with it, in words that hold no value of the configuration.
 */
export const loadModule = async <Name extends PortName>(
  port: Name,
  name: string,
  folders: readonly string[],
): Promise<Either<string, AdapterFactory<Ports[Name]>>> => {
  const place = placeOf(name, [...folders, installation]);
  if (isLeft(place)) return place;
  try {
    const namespace: unknown = await import(place.right.href);
    const definition = definitionIn(namespace, port);
    return isLeft(definition) ? definition : right(offered(guarded(definition.right, port)));
  } catch (error) {
    return left(importReasonOf(error));
  }
};
