import { fileURLToPath } from 'node:url';
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import {
  type AdapterDefinition,
  type AdapterFactory,
  adapterFactory,
  callTimeoutMs,
  type PortName,
  type Ports,
  portVersions,
} from '../../adapters/kit/definition.ts';
import { isMapping } from '../../adapters/kit/option-block.ts';
import { Fault, type FaultCode } from '../../application/fault.ts';
import { checkedPorts, memberOf, missingMethods, openChecked } from './checked-port.ts';
import { importFailure, locateModule } from './locate-module.ts';

const faultCodes: Readonly<Record<PortName, FaultCode>> = {
  UserStore: 'store_rejected',
  Mailer: 'mail_failed',
  Secrets: 'secrets_unavailable',
  PasswordHash: 'store_rejected',
};

const isDefinition = <Port>(value: unknown): value is AdapterDefinition<unknown, Port> =>
  isMapping(value) &&
  typeof value.type === 'string' &&
  typeof value.open === 'function' &&
  isMapping(value.configuration) &&
  typeof value.configuration.decode === 'function';

/** The exports that may be an adapter. In compiled CommonJS, the default export holds the exports of the module. */
const candidatesIn = (namespace: unknown): readonly unknown[] => {
  const fallback = memberOf(namespace, 'default');
  return [memberOf(namespace, 'adapter'), fallback, memberOf(fallback, 'adapter'), memberOf(fallback, 'default')];
};

const isPort = (name: unknown): name is PortName => typeof name === 'string' && Object.hasOwn(portVersions, name);

/** The adapter that a module exports for a port. Left: what is wrong with it. */
const definitionIn = <Name extends PortName>(
  namespace: unknown,
  port: Name,
): Either<string, AdapterDefinition<unknown, Ports[Name]>> => {
  const found = candidatesIn(namespace).find((candidate) => isDefinition<Ports[Name]>(candidate));
  if (found === undefined)
    return left('exports no adapter; export the result of defineModule (latchkey/ports) as default, or as adapter');
  const [other, version] = 'port' in found && 'portVersion' in found ? [found.port, found.portVersion] : [];
  if (!isPort(other)) return left(`exports an adapter without the name of its port; add port: '${port}' to it`);
  if (other !== port) return left(`exports an adapter of the port ${other}; this block needs a ${port}`);
  const current = portVersions[port];
  if (version === current) return right(found);
  const written = Number.isInteger(version) ? `version ${version}` : 'another version';
  return left(`was written for ${written} of the port ${port}; this is version ${current}`);
};

/** Checks what `open` returns, also later, and turns its errors into Faults: the compiler has not seen this adapter. */
const checkedDefinition = <Name extends PortName>(
  definition: AdapterDefinition<unknown, Ports[Name]>,
  port: Name,
): AdapterDefinition<unknown, Ports[Name]> => {
  const { type, configuration } = definition;
  const report = (problem: string, code = faultCodes[port]): Fault => new Fault(code, `the adapter ${type} ${problem}`);
  return {
    type,
    configuration,
    open: async (options, context) => {
      const opened = await openChecked(port, () => definition.open(options, context), missingMethods[port], report);
      return checkedPorts[port](opened, { report, timeoutMs: callTimeoutMs(context.operationTimeoutMs) });
    },
  };
};

const installation = fileURLToPath(new URL('.', import.meta.url));

/**
 * Loads the adapter of a port from a package or a file. Searches these folders in turn, then the installation of
 * Latchkey. Left: what is wrong with it, without any value of the configuration.
 */
export const loadModule = async <Name extends PortName>(
  port: Name,
  name: string,
  folders: readonly string[],
): Promise<Either<string, AdapterFactory<Ports[Name]>>> => {
  const location = locateModule(name, [...folders, installation]);
  if (isLeft(location)) return location;
  try {
    const namespace: unknown = await import(location.right.href);
    const definition = definitionIn(namespace, port);
    if (isLeft(definition)) return definition;
    return right(adapterFactory(checkedDefinition(definition.right, port)));
  } catch (error) {
    return left(importFailure(error));
  }
};
