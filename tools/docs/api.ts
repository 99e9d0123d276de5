import { problems } from '../../adapters/http/api/problems.ts';
import type { Regions } from './markdown.ts';
import { code, table } from './markdown.ts';
import { codesOf, type DocumentedOperation, documentedOperations, type Operation, permissionOf } from './operations.ts';
import { codeList, errorTable, ownErrors } from './shared-errors.ts';

/** Examples are in the OpenAPI document. */
const example = / Example: `.*$/;

/** Inputs that several operations take with the same meaning: one for each name. */
const sharedInputs = (operations: readonly DocumentedOperation[]): ReadonlySet<string> => {
  const all = operations.flatMap(({ parameters = [] }) => parameters);
  const texts = all.map(({ description }) => description);
  const repeated = all.filter(({ description }, index) => texts.indexOf(description) !== index);
  // Another meaning of the same name is described where it applies.
  const byName = new Map(repeated.toReversed().map(({ name, description }) => [name, description]));
  return new Set(byName.values());
};

const inputTable = (operations: readonly DocumentedOperation[]): string => {
  const shared = sharedInputs(operations);
  const inputs = operations.flatMap(({ parameters = [] }) => parameters);
  const distinct = new Map(inputs.map((input) => [input.description, input]));
  return table(
    ['Input', 'In', 'Meaning'],
    [...distinct.values()]
      .filter(({ description }) => shared.has(description))
      .map(({ name, in: place, description }) => [code(name), place, description.replace(example, '')]),
  );
};

/** The section about users says once what is kept exactly. */
const exactness = / No object has two members.*/;

const inputsOf = (operation: DocumentedOperation, shared: ReadonlySet<string>): readonly string[] => {
  const { parameters = [], requestBody } = operation;
  const own = parameters.filter(({ description }) => !shared.has(description));
  const listed = (isListed: boolean): string =>
    codeList(parameters.filter(({ required }) => required === isListed).map(({ name }) => name));
  const names = [listed(true), listed(false) && `optional ${listed(false)}`].filter(Boolean).join('; ');
  return [
    ...(requestBody ? [`- Body: ${requestBody.description.replace(exactness, '')}`] : []),
    ...(names ? [`- Inputs: ${names}`] : []),
    ...own.map(({ name, description }) => `- ${code(name)}: ${description.replace(example, '')}`),
  ];
};

const sectionOf = (operation: DocumentedOperation, shared: ReadonlySet<string>): string => {
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
