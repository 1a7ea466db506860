import type { ProjectRegistry } from '../composition/registry.ts';
import type {
  AlteredOperation,
  ApiDetail,
  ApiListing,
  ApiSummary,
  DocumentOperation,
  ListedChange,
  OperationChanges,
  TryItResult,
} from '../contract/api-report.ts';
import type { AuditedAct } from '../contract/audit.ts';
import type { GatewayResponse } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { UNRESTRICTED } from '../contract/principal.ts';
import { readDescription } from '../openapi/openapi-description.ts';
import { isUrl, type RegistryCommand } from './api-options.ts';
import { auditChanges } from './audit-changes.ts';
import { type ExitCode, type Io, reportingMistakes } from './command-io.ts';
import { readDocument } from './derive-model.ts';
import { readCommandConfig } from './project-environment.ts';
import { indent, section, table, writeLines } from './text-table.ts';

/** A request of a command to the registry. */
interface Asking {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly target: string;
  readonly body?: object;
}

/** Runs a command on the APIs of the project. */
export function runApi(command: RegistryCommand, io: Io): Promise<ExitCode> {
  return reportingMistakes(io, () => askRegistry(command, io), tell);
}

async function askRegistry(command: RegistryCommand, io: Io): Promise<boolean> {
  const config = readCommandConfig(io);
  const asking = await askingOf(command, io.readInput);
  // Loaded on demand, because other commands do not need it.
  const { openRegistryOfFiles } = await import('../composition/registry.ts');
  const acts: AuditedAct[] = [];
  const needsGrants = io.environment['AUTH'] !== 'off';
  const registry = await openRegistryOfFiles(config, needsGrants, (act) => acts.push(act));
  try {
    await assertConfirmed(command, registry);
    const first = await askFor(command, registry, asking);
    const response =
      command.kind === 'api register' && command.adds ? await addRegistered(command, registry) : first;
    const answer: unknown =
      command.kind === 'api list'
        ? await readWhole(registry, first)
        : JSON.parse(String(response.body ?? 'null'));
    const text = command.json ? `${JSON.stringify(answer, undefined, 2)}\n` : writeApiAnswer(command, answer);
    io.write(text, 'stdout');
    return command.kind !== 'try' || (answer as TryItResult).status < 400;
  } finally {
    await auditChanges(acts, io);
    await registry.close();
  }
}

/** The list of APIs from all pages. */
async function readWhole(registry: ProjectRegistry, first: GatewayResponse): Promise<ApiListing> {
  const page: ApiListing = JSON.parse(String(first.body));
  if (page.next === null) return page;
  const rest = await readWhole(registry, await ask(registry, { method: 'GET', target: page.next }));
  return { ...rest, apis: [...page.apis, ...rest.apis] };
}

/** The text of an error; unconfirmed breaking changes are phrased as a question. */
function tell(mistake: Error): string {
  const { details, target } = mistake instanceof GatewayError ? mistake : { details: [], target: undefined };
  const isQuestion = target === 'confirm';
  const lines = isQuestion || details.length > 1 ? details.map((detail) => `  ${detail.message}`) : [];
  const more = isQuestion ? ['To change it anyway, repeat the command with --yes.'] : [];
  return `${[mistake.message, ...lines, ...more].join('\n')}\n`;
}

async function askingOf(command: RegistryCommand, readInput: () => Promise<string>): Promise<Asking> {
  switch (command.kind) {
    case 'api list':
      return { method: 'GET', target: '' };
    case 'api show':
      return { method: 'GET', target: pathOf(command.name) };
    case 'api delete':
      return { method: 'DELETE', target: pathOf(command.name) };
    case 'api add':
    case 'api remove':
      return {
        method: 'POST',
        target: `${pathOf(command.name)}/${command.kind.slice('api '.length)}`,
        body: {},
      };
    case 'api enable':
      return { method: 'POST', target: `${pathOf(command.name)}/enable` };
    case 'api disable':
      return { method: 'POST', target: `${pathOf(command.name)}/disable`, body: { reason: command.reason } };
    case 'api history':
      return { method: 'GET', target: `${pathOf(command.name)}/history` };
    case 'api restore':
      return { method: 'POST', target: `${pathOf(command.name)}/restore`, body: { state: command.state } };
    case 'api fetch':
      return { method: 'POST', target: `${pathOf(command.name)}/fetch`, body: { url: command.url } };
    case 'api register': {
      const { name, file, serviceUrl, description } = command;
      const url = isUrl(file) ? file : undefined;
      const document = await (url === undefined ? wholeDocument(file) : fetchFrom(url));
      const fileName = url === undefined ? file : '';
      return {
        method: 'POST',
        target: '',
        body: { name, fileName, document, url, serviceUrl, description },
      };
    }
    case 'try': {
      const { api, method, path, headers } = command;
      const body = command.body === '-' ? await readInput() : command.body;
      return { method: 'POST', target: `${pathOf(api)}/try`, body: { method, path, headers, body } };
    }
  }
}

/** The document in a file as one text, with the files that it refers to. */
function wholeDocument(file: string): string {
  const texts = { ...readDocument(file), overlay: undefined };
  if (texts.referenced.files.length === 0) return texts.document;
  return JSON.stringify(readDescription(texts).original.document, undefined, 2);
}

/** Loaded on demand, because most commands fetch nothing. */
async function fetchFrom(url: string): Promise<string> {
  const { fetchTyped } = await import('./served-files.ts');
  return fetchTyped(url);
}

/** Throws a list of what would be deleted unless `--yes` is given. */
async function assertConfirmed(command: RegistryCommand, registry: ProjectRegistry): Promise<void> {
  if ((command.kind !== 'api remove' && command.kind !== 'api delete') || command.yes) return;
  const { name, kind } = command;
  const found = await ask(registry, { method: 'GET', target: pathOf(name) });
  const { state, entitySets } = JSON.parse(String(found.body));
  const sets = (entitySets as readonly string[]).join(', ') || 'nothing that is a table';
  const lost = state === 'registered' ? [] : [`${name} would no longer be served: ${sets}.`];
  const files = kind === 'api delete' ? ['Its document, its overlay and its history would be deleted.'] : [];
  if (lost.length + files.length === 0) return;
  throw new GatewayError(
    'Conflict',
    [...lost, ...files, 'To do so, repeat the command with --yes.'].join('\n'),
  );
}

/** Removes the new registration again if the permissions in the document have to be confirmed first. */
async function addRegistered(
  command: Extract<RegistryCommand, { kind: 'api register' }>,
  registry: ProjectRegistry,
): Promise<GatewayResponse> {
  const target = pathOf(command.name);
  return askFor(command, registry, { method: 'POST', target: `${target}/add`, body: {} }).catch(
    async (error: unknown) => {
      if (error instanceof GatewayError && error.target === 'confirm')
        await ask(registry, { method: 'DELETE', target });
      throw error;
    },
  );
}

/** Sends the request; with `--yes`, repeats it with the changes confirmed. */
async function askFor(
  command: RegistryCommand,
  registry: ProjectRegistry,
  asking: Asking,
): Promise<GatewayResponse> {
  try {
    return await ask(registry, asking);
  } catch (error) {
    const isQuestion = error instanceof GatewayError && error.target === 'confirm';
    if (!isQuestion || !('yes' in command) || !command.yes) throw error;
    const confirm = error.details.map(({ message }) => message);
    return ask(registry, { ...asking, body: { ...asking.body, confirm } });
  }
}

function pathOf(name: string): string {
  return `/${encodeURIComponent(name)}`;
}

function ask({ handler }: ProjectRegistry, { method, target, body }: Asking): Promise<GatewayResponse> {
  return handler({
    id: 'duogate',
    principal: UNRESTRICTED,
    signal: new AbortController().signal,
    method,
    target,
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  });
}

/** An API with optional parts of a response. */
type Api = ApiSummary & Partial<Pick<ApiDetail, 'report'>>;

/** Writes a response of the registry as plain text. */
function writeApiAnswer(command: RegistryCommand, answer: unknown): string {
  switch (command.kind) {
    case 'api list':
      return writeLines(listLines((answer as ApiListing).apis));
    case 'api delete':
      return writeLines([`${command.name} is deleted.`]);
    case 'api fetch':
      return writeLines(fetchLines(answer as OperationChanges));
    case 'api history':
      return writeLines(historyLines((answer as { readonly changes: readonly ListedChange[] }).changes));
    case 'try':
      return writeTrial(answer as TryItResult);
    default:
      return writeLines(apiLines(answer as Api));
  }
}

function listLines(apis: readonly ApiSummary[]): readonly string[] {
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
  disabled: 'turned off: see `duogate api enable`',
  ungranted: 'live, but nobody can use it yet: see `duogate grant`',
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

function fetchLines({ changed, added, removed, altered }: OperationChanges): readonly string[] {
  if (!changed) return ['The document has not changed.'];
  if (added.length + removed.length + altered.length === 0) return ['No operation has changed.'];
  const line = ({ method, path, what }: DocumentOperation & Partial<AlteredOperation>): string =>
    `${method} ${path}${what === undefined ? '' : `  ${what.join(', ')}`}`;
  const group = (title: string, operations: readonly DocumentOperation[]) =>
    operations.length === 0 ? [] : [`${title}: ${operations.length}`, ...indent(operations.map(line))];
  return [...group('Added', added), ...group('Removed', removed), ...group('Changed', altered)];
}

function historyLines(changes: readonly ListedChange[]): readonly string[] {
  if (changes.length === 0) return ['There are no changes yet.'];
  return changes.flatMap(({ state, at, by, replaced, changes: told }) => [
    `${state}  ${at}  ${by ?? 'operator'}  ${replaced.join(', ')}`,
    ...indent(told.map(({ kind, message }) => `${kind.padEnd(10)}  ${message}`)),
  ]);
}

/** The body comes last, unchanged. */
function writeTrial({ status, milliseconds, headers, body, truncated, curl }: TryItResult): string {
  const lines = [
    `${status} in ${milliseconds} ms`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...section('The same call', [curl], (line) => [line]),
    '',
  ];
  return `${writeLines(lines)}${body}\n${truncated ? 'The body is longer: only its beginning is shown.\n' : ''}`;
}
