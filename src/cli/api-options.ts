import type { Command } from 'commander';
import { collect } from './account-options.ts';
import { sourceNames } from './derive-model.ts';
import { assertOverlayForOneFile, UsageError } from './usage-error.ts';

export type ApiCommand =
  | {
      readonly kind: 'suggest';
      readonly file: string;
      readonly output: string | undefined;
      /** Relations to write into the overlay: `Order/CustomerId`, `Order/CustomerId=Client`, or `resolved`. */
      readonly accept: readonly string[];
      readonly refuse: readonly string[];
    }
  | (JsonOutput & {
      readonly kind: 'validate';
      readonly files: readonly string[];
      readonly overlay: string | undefined;
    })
  | RegistryCommand;

interface JsonOutput {
  readonly json: boolean;
}

/** `yes`: the user confirms the deletion or the breaking changes. */
export type RegistryCommand = JsonOutput &
  (
    | {
        readonly kind: 'try';
        readonly api: string;
        readonly method: string;
        readonly path: string;
        readonly headers: Readonly<Record<string, string>>;
        readonly body: string | undefined;
      }
    | { readonly kind: 'api list' }
    | { readonly kind: 'api show' | 'api history'; readonly name: string }
    | { readonly kind: 'api add'; readonly name: string; readonly yes: boolean }
    | { readonly kind: 'api remove' | 'api delete'; readonly name: string; readonly yes: boolean }
    | {
        readonly kind: 'api register';
        readonly name: string;
        /** A file or URL. */
        readonly file: string;
        /** True if the API is also added to the project. */
        readonly adds: boolean;
        readonly yes: boolean;
        readonly serviceUrl: string | undefined;
        readonly description: string | undefined;
      }
    | { readonly kind: 'api disable'; readonly name: string; readonly reason: string }
    | { readonly kind: 'api enable'; readonly name: string }
    | {
        readonly kind: 'api restore';
        readonly name: string;
        readonly state: number;
        readonly yes: boolean;
      }
    | {
        readonly kind: 'api fetch';
        readonly name: string;
        readonly url: string | undefined;
        readonly yes: boolean;
      }
  );

type Choose = (command: ApiCommand) => void;

interface JsonOption {
  readonly json?: boolean;
}

export const OVERLAY = [
  '--overlay <FILE>',
  'the OpenAPI Overlay to use for a single FILE, instead of the one beside it',
] as const;

export function addValidateCommand(program: Command, choose: Choose): void {
  program
    .command('validate <FILE...>')
    .summary('prints what is wrong with OpenAPI files, and where')
    .description(
      `Prints how many lists of OpenAPI files become tables and why the others do not, and what is wrong, left out
or worth knowing, with line, column and JSON pointer, beginning with what costs most. Repeated findings are
printed once. Only the files and their overlays are read (api.overlay.yaml for api.yaml).`,
    )
    .option(...OVERLAY)
    .option('--json', 'print the reports as JSON')
    .addHelpText('after', exitCodes('0 if there are no errors, 1 if there are'))
    .action((files: readonly string[], { overlay, json }: JsonOption & { readonly overlay?: string }) => {
      assertOverlayForOneFile(overlay, files);
      choose({ kind: 'validate', files, overlay, json: json ?? false });
    });
}

export function addSuggestCommand(program: Command, choose: Choose): void {
  program
    .command('suggest <FILE>')
    .summary('writes an overlay with what is found in an OpenAPI file')
    .description(
      `Writes an OpenAPI Overlay with what the conventions find in an OpenAPI file: the names and keys of its
entity sets. Comments show what you have to decide, such as grants, pages, filters and relations, and the lists
that are not tables. The overlay as written changes nothing. An existing overlay beside the file is ignored.

With --accept and --refuse, it writes these decisions about relations into the overlay beside the file instead.
Outcomes of duogate probe are shown with the relations of a file of the project.`,
    )
    .option('-o, --output <FILE>', 'the file to write, such as api.overlay.yaml (default: standard output)')
    .option(
      '--accept <RELATION>',
      'serve a relation, such as Order/AgentId or Order/AgentId=Agent; resolved accepts all suggested ones whose values duogate probe has found; may be repeated',
      collect,
    )
    .option('--refuse <RELATION>', 'serve no relation by this property; may be repeated', collect)
    .addHelpText('after', exitCodes('0; 1 if a file cannot be read or written, or has no such relation'))
    .action((file: string, { output, accept = [], refuse = [] }: SuggestOptions) =>
      choose({ kind: 'suggest', file, output, accept, refuse }),
    );
}

interface SuggestOptions {
  readonly output?: string;
  readonly accept?: readonly string[];
  readonly refuse?: readonly string[];
}

interface TryOptions extends JsonOption {
  readonly header?: readonly string[];
  readonly body?: string;
}

export function addTryCommand(program: Command, choose: Choose): void {
  program
    .command('try <API> <METHOD> <PATH>')
    .summary('runs an operation of an API as the gateway would')
    .description(
      `Runs an operation of an API in the project as the gateway would, with its headers, deadline and limits, and
prints the answer. PATH is relative to the API's service URL and includes the query: '/posts?userId=1'.`,
    )
    .option(
      "--header <'NAME: VALUE'>",
      'Accept, Content-Type, or a header parameter of the operation; may be repeated',
      collect,
    )
    .option('--body <TEXT>', 'the body of the request; - reads it from standard input')
    .option('--json', 'print request, answer, time and a curl command as JSON')
    .addHelpText('after', exitCodes('0; 1 if the answer is an error'))
    .action((api: string, method: string, path: string, { header = [], body, json }: TryOptions) => {
      const headers = Object.fromEntries(header.map(headerOf));
      choose({ kind: 'try', api, method, path, headers, body, json: json ?? false });
    });
}

interface RegisterOptions extends JsonOption {
  readonly serviceUrl?: string;
  readonly description?: string;
}

interface FetchOptions extends JsonOption {
  readonly url?: string;
  readonly yes?: boolean;
}

const YES = ['--yes', 'do it even if it takes something away from users; without, only print what'] as const;

function stateOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(
    `STATE must be a number that \`duogate api history\` lists, not ${JSON.stringify(text)}.`,
  );
}

const JSON_ANSWER = ['--json', 'print the answer as JSON'] as const;

export function addApiCommands(program: Command, choose: Choose): void {
  const api = program
    .command('api')
    .summary('registers APIs, adds them to the project and removes them')
    .description(
      `Manages the APIs of the project that MESH_CONFIG names: those that it serves, and those that are registered
beside it in openapi/. A running gateway picks up the changes.`,
    );
  api
    .command('list')
    .description('Lists the APIs.')
    .option(...JSON_ANSWER)
    .action(({ json = false }: JsonOption) => choose({ kind: 'api list', json }));
  api
    .command('register <NAME> <FILE>')
    .description('Stores an OpenAPI file in openapi/. FILE may be a URL.')
    .option('--service-url <URL>', "the base URL of the API (default: the document's first server)")
    .option('--description <TEXT>', 'what the API is for')
    .option(...JSON_ANSWER)
    .action((name: string, file: string, { serviceUrl, description, json = false }: RegisterOptions) =>
      choose({ kind: 'api register', name, file, adds: false, yes: false, serviceUrl, description, json }),
    );
  api
    .command('fetch <NAME>')
    .summary('reads the file of an API again')
    .description(
      'Reads its file again, or a URL at a host of REGISTRY_HOSTS, and prints which operations have changed.',
    )
    .option('--url <URL>', 'the URL of the document (default: the previous one)')
    .option(...YES)
    .option(...JSON_ANSWER)
    .action((name: string, { url, yes = false, json = false }: FetchOptions) =>
      choose({ kind: 'api fetch', name, url, yes, json }),
    );
  api
    .command('history <NAME>')
    .description('Lists its last ten changes, each with the number of the state before it.')
    .option(...JSON_ANSWER)
    .action((name: string, { json = false }: JsonOption) => choose({ kind: 'api history', name, json }));
  api
    .command('restore <NAME> <STATE>')
    .summary('restores an earlier state of an API')
    .description('Restores the document, overlay and settings of that state in its history.')
    .option(...YES)
    .option(...JSON_ANSWER)
    .action((name: string, state: string, { yes = false, json = false }: FetchOptions) =>
      choose({ kind: 'api restore', name, state: stateOf(state), yes, json }),
    );
  api
    .command('show <NAME>')
    .description('Shows the details of an API.')
    .option(...JSON_ANSWER)
    .action((name: string, { json = false }: JsonOption) => choose({ kind: 'api show', name, json }));
  api
    .command('add <NAME>')
    .summary('adds an API to the project')
    .description(
      `Adds a registered API to the project. If it cannot be served, nothing changes. NAME may be the URL of an
OpenAPI document, which is fetched and registered first.`,
    )
    .option('--name <NAME>', 'the name of an API given by its URL (default: the name of the file)')
    .option('--service-url <URL>', "the base URL of that API (default: the document's first server)")
    .option('--yes', 'do it even if a fetched document gives roles rights; without, only print which')
    .option(...JSON_ANSWER)
    .action((name: string, options: AddOptions) => choose(addition(name, options)));
  api
    .command('disable <NAME>')
    .summary('turns an API off')
    .description(
      `Turns an API of the project off: its entity sets answer 503, and nothing is sent to it. Running gateways
notice within a second.`,
    )
    .option('--reason <TEXT>', 'a sentence that clients are shown', '')
    .option(...JSON_ANSWER)
    .action((name: string, { reason, json = false }: JsonOption & { readonly reason: string }) =>
      choose({ kind: 'api disable', name, reason, json }),
    );
  api
    .command('enable <NAME>')
    .description('Turns an API on again.')
    .option(...JSON_ANSWER)
    .action((name: string, { json = false }: JsonOption) => choose({ kind: 'api enable', name, json }));
  for (const [verb, does] of REMOVALS) {
    api
      .command(`${verb} <NAME>`)
      .description(does)
      .option('--yes', 'do it; without, only print what would be removed')
      .option(...JSON_ANSWER)
      .action((name: string, { yes = false, json = false }: FetchOptions) =>
        choose({ kind: `api ${verb}`, name, yes, json }),
      );
  }
}

interface AddOptions extends JsonOption {
  readonly yes?: boolean;
  readonly name?: string;
  readonly serviceUrl?: string;
}

function addition(place: string, { name, serviceUrl, yes = false, json = false }: AddOptions): ApiCommand {
  if (isUrl(place)) {
    const found = name ?? sourceNames([new URL(place).pathname])[0];
    return {
      kind: 'api register',
      name: found || 'Api',
      file: place,
      adds: true,
      yes,
      serviceUrl,
      description: undefined,
      json,
    };
  }
  if (name === undefined && serviceUrl === undefined) return { kind: 'api add', name: place, yes, json };
  throw new UsageError('--name and --service-url need the URL of a document.');
}

export function isUrl(place: string): boolean {
  return /^https?:\/\//i.test(place) && URL.canParse(place);
}

const REMOVALS = [
  ['remove', 'Removes an API from the project; it stays registered.'],
  ['delete', 'Removes an API from the project, and deletes its document, overlay and history.'],
] as const;

export function exitCodes(codes: string): string {
  return `\nExit codes: ${codes}; 2 if the command is invalid.`;
}

function headerOf(text: string): readonly [string, string] {
  const [, name, value] = /^([^\s:]+):\s*(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new UsageError(`A header must be 'NAME: VALUE', not ${JSON.stringify(text)}.`);
}
