import { problems } from '../../adapters/http/api/problems.ts';
import type { Regions } from './markdown.ts';
import { code, table } from './markdown.ts';
import { codesOf, type DocumentedOperation, documentedOperations, type Operation, permissionOf } from './operations.ts';
import { codeList, errorTable, ownErrors } from './shared-errors.ts';

/**
 * Examples are in the OpenAPI document, the section about requests says once what names a user, the one about users that
 * a new address may wait, and docs/ids.md what an update does with an id.
 */
const saidElsewhere =
  / Example: `.*$| (?:Exactly|At most) one of [^.]* (?:is given|names the user)\.| `id` may be repeated, [^.]*\.| With `email\.confirmChange`, a new address waits [^.]*\./g;

const meaningOf = ({ description }: Pick<Operation, 'description'>): string => description.replace(saidElsewhere, '');

/** What inputs of several operations mean, one meaning for each name. Any other one is described where it applies. */
const sharedInputs = (operations: readonly DocumentedOperation[]): ReadonlyMap<string, string> => {
  const all = operations.flatMap(({ parameters = [] }) => parameters);
  const meanings = all.map(meaningOf);
  const repeated = all.filter((input, index) => meanings.indexOf(meaningOf(input)) !== index);
  return new Map(repeated.toReversed().map((input) => [input.name, meaningOf(input)]));
};

const inputTable = (operations: readonly DocumentedOperation[]): string => {
  const shared = sharedInputs(operations);
  const inputs = operations.flatMap(({ parameters = [] }) => parameters);
  const distinct = new Map(
    inputs.filter((input) => shared.get(input.name) === meaningOf(input)).map((input) => [input.name, input]),
  );
  return table(
    ['Input', 'In', 'Meaning'],
    [...distinct.values()]
      .toSorted((one, other) => one.name.localeCompare(other.name))
      .map((input) => [code(input.name), input.in, meaningOf(input)]),
  );
};

/** The section about users says once what is kept exactly. */
const exactness = / No object has two members.*/;

const inputsOf = (operation: DocumentedOperation, shared: ReadonlyMap<string, string>): readonly string[] => {
  const { parameters = [], requestBody } = operation;
  const own = parameters.filter((input) => shared.get(input.name) !== meaningOf(input));
  const listed = (isListed: boolean): string =>
    codeList(parameters.filter(({ required }) => required === isListed).map(({ name }) => name));
  const names = [listed(true), listed(false) && `optional ${listed(false)}`].filter(Boolean).join('; ');
  return [
    ...(requestBody ? [`- Body: ${meaningOf(requestBody).replace(exactness, '')}`] : []),
    ...(names ? [`- Inputs: ${names}`] : []),
    ...own.map((input) => `- ${code(input.name)}: ${meaningOf(input)}`),
  ];
};

const sectionOf = (operation: DocumentedOperation, shared: ReadonlyMap<string, string>): string => {
  const { method, path, operationId, description, responses } = operation;
  const successes = Object.entries(responses).flatMap(([status, { description: meaning, content }]) =>
    codesOf(content).length === 0 ? [`- ${status}: ${meaning}`] : [],
  );
  const errors = ownErrors(operation);
  const permission = permissionOf(operation);
  return [
    `### ${method} ${path}`,
    `${code(operationId)}, ${permission === undefined ? 'without client authentication' : `permission ${code(permission)}`}. ${description}`,
    [
      ...inputsOf(operation, shared),
      ...successes,
      ...(errors.length > 0 ? [`- Errors: ${codeList(errors)}`] : []),
    ].join('\n'),
  ].join('\n\n');
};

/** A page for people, which programs do not need. */
const isPage = ({ responses }: Operation): boolean => responses['200']?.description === 'An HTML page.';

const pages = (operations: readonly DocumentedOperation[]): string =>
  operations
    .filter(isPage)
    .map(({ method, path, operationId }) => `- ${code(`${method} ${path}`)}, ${code(operationId)}`)
    .join('\n');

const calls = (operations: readonly DocumentedOperation[]): string => {
  const shared = sharedInputs(operations);
  return operations
    .filter((operation) => !isPage(operation))
    .map((operation) => sectionOf(operation, shared))
    .join('\n\n');
};

/** Advice that the section about errors gives for all codes. */
const advice = / (?:Try again(?: later)?|Retry-After (?:says when to try|gives the seconds)[^.]*)\.$/;

const codes = (): string =>
  table(
    ['Code', 'Status', 'Detail'],
    Object.entries(problems)
      .sort(([, one], [, other]) => one.status - other.status)
      .map(([name, { status, detail }]) => [code(name), String(status), detail.replace(advice, '')]),
  );

/** The regions of docs/api.md: the operations of the OpenAPI document, and the problem codes. */
export const apiRegions = async (): Promise<Regions> => {
  const operations = await documentedOperations();
  return new Map([
    ['inputs', inputTable(operations)],
    ['shared errors', errorTable(operations)],
    ['operations', calls(operations)],
    ['pages', pages(operations)],
    ['problem codes', codes()],
  ]);
};
