import { type Either, left, right } from 'fp-ts/lib/Either.js';
import type { AdapterDefinition } from '../../adapters/kit/definition.ts';
import { type PortName, type Ports, portVersions } from '../../adapters/kit/definition.ts';
import { isMapping } from '../../adapters/kit/option-block.ts';

const none =
  'exports no adapter; its default export, or its export adapter, is what defineModule of latchkey/ports returns';

const isDefinition = <Port>(value: unknown): value is AdapterDefinition<unknown, Port> =>
  isMapping(value) &&
  typeof value.type === 'string' &&
  typeof value.open === 'function' &&
  isMapping(value.configuration) &&
  typeof value.configuration.validate === 'function';

/** What a module may export as its adapter. Compiled CommonJS has its own exports in the default one. */
const candidatesIn = (namespace: unknown): readonly unknown[] => {
  const own = isMapping(namespace) ? [namespace.adapter, namespace.default] : [];
  const [inner] = own.slice(1);
  return isMapping(inner) ? [...own, inner.adapter, inner.default] : own;
};

const isPort = (name: unknown): name is PortName => typeof name === 'string' && Object.hasOwn(portVersions, name);

/** The adapter that a module exports for a port. Left: what is wrong with it. */
export const definitionIn = <Name extends PortName>(
  namespace: unknown,
  port: Name,
): Either<string, AdapterDefinition<unknown, Ports[Name]>> => {
  const found = candidatesIn(namespace).find((candidate) => isDefinition<Ports[Name]>(candidate));
  if (found === undefined) return left(none);
  const [other, version] = 'port' in found && 'portVersion' in found ? [found.port, found.portVersion] : [];
  if (!isPort(other)) return left(`its adapter does not say which port it implements; write port: '${port}' there`);
  if (other !== port) return left(`is an adapter of the port ${other}, and this block needs a ${port}`);
  const known = portVersions[port];
  if (version === known) return right(found);
  const written = Number.isInteger(version) ? `version ${version}` : 'another version';
  return left(`was written for ${written} of the port ${port}, and this is version ${known}`);
};
