import type { RegistryCommand } from './api-options.ts';
import { indent, section, table, writeLines } from './text-table.ts';

// The registry's own answers, of which only what is printed is named here.
interface Api {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly openapi: string;
  readonly state: string;
  readonly serviceUrl: string;
  readonly file: string;
  readonly operations: number;
  readonly entitySets: readonly string[];
  readonly errors: number;
  readonly report?: { readonly summary: string };
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly what?: readonly string[];
}

interface Fetched {
  readonly changed: boolean;
  readonly added: readonly Operation[];
  readonly removed: readonly Operation[];
  readonly altered: readonly Operation[];
}

interface Change {
  readonly state: number;
  readonly at: string;
  readonly by: string | null;
  readonly replaced: readonly string[];
  readonly changes: readonly { readonly kind: string; readonly message: string }[];
}

interface Tried {
  readonly status: number;
  readonly milliseconds: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly truncated: boolean;
  readonly curl: string;
}

/** Writes what the registry has answered to a command as plain text for people. */
export function writeApiAnswer(command: RegistryCommand, answer: unknown): string {
  switch (command.kind) {
    case 'api list':
      return writeLines(listLines((answer as { readonly apis: readonly Api[] }).apis));
    case 'api delete':
      return writeLines([`${command.name} is deleted.`]);
    case 'api fetch':
      return writeLines(fetchLines(answer as Fetched));
    case 'api history':
      return writeLines(historyLines((answer as { readonly changes: readonly Change[] }).changes));
    case 'try':
      return writeTrial(answer as Tried);
    default:
      return writeLines(apiLines(answer as Api));
  }
}

function listLines(apis: readonly Api[]): readonly string[] {
  return table([
    ['NAME', 'STATE', 'ERRORS', 'FILE', 'SERVICE URL'],
    ...apis.map(({ name, state, errors, file, serviceUrl }) => [
      name,
      state,
      String(errors),
      file,
      serviceUrl,
    ]),
  ]);
}

const STATES: Readonly<Record<string, string>> = {
  ungranted: 'live, but nobody may use it yet: `duogate grant` says who may',
};

function apiLines(api: Api): readonly string[] {
  const { name, title, version, openapi, state, file, serviceUrl, operations, entitySets, report } = api;
  return table([
    ['Name', name],
    ['Document', `${title} ${version} (OpenAPI ${openapi})`],
    ['File', file],
    ['Service URL', serviceUrl],
    ['State', STATES[state] ?? state],
    ['Operations', String(operations)],
    ['Entity sets', entitySets.join(', ')],
    ['Report', report?.summary ?? ''],
  ]);
}

function fetchLines({ changed, added, removed, altered }: Fetched): readonly string[] {
  if (!changed) return ['The document has not changed.'];
  if (added.length + removed.length + altered.length === 0) return ['No operation has changed.'];
  const line = ({ method, path, what }: Operation): string =>
    `${method} ${path}${what === undefined ? '' : `  ${what.join(', ')}`}`;
  const group = (title: string, operations: readonly Operation[]) =>
    operations.length === 0 ? [] : [`${title}: ${operations.length}`, ...indent(operations.map(line))];
  return [...group('Added', added), ...group('Removed', removed), ...group('Altered', altered)];
}

function historyLines(changes: readonly Change[]): readonly string[] {
  if (changes.length === 0) return ['Nothing has been changed yet.'];
  return changes.flatMap(({ state, at, by, replaced, changes: told }) => [
    `${state}  ${at}  ${by ?? 'operator'}  ${replaced.join(', ')}`,
    ...indent(told.map(({ kind, message }) => `${kind.padEnd(10)}  ${message}`)),
  ]);
}

/** The body is the last, and stands as it came. */
function writeTrial({ status, milliseconds, headers, body, truncated, curl }: Tried): string {
  const lines = [
    `${status} in ${milliseconds} ms`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...section('The same call', [curl], (line) => [line]),
    '',
  ];
  return `${writeLines(lines)}${body}\n${truncated ? 'The body goes on: only its beginning is shown.\n' : ''}`;
}
