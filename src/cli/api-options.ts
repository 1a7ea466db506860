import type { Command } from 'commander';
import { collect } from './account-options.ts';
import { sourceNames } from './derive-model.ts';
import { refuseOverlay, UsageError } from './usage-error.ts';

export type ApiCommand =
  | { readonly kind: 'suggest'; readonly file: string; readonly output: string | undefined }
  | {
      readonly kind: 'validate';
      readonly files: readonly string[];
      readonly overlay: string | undefined;
      readonly json: boolean;
    }
  | {
      readonly kind: 'try';
      readonly api: string;
      readonly method: string;
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string | undefined;
      readonly json: boolean;
    }
  | { readonly kind: 'api list'; readonly json: boolean }
  | { readonly kind: 'api show' | 'api add'; readonly name: string; readonly json: boolean }
  | {
      readonly kind: 'api remove' | 'api delete';
      readonly name: string;
      /** It has been said what goes. */
      readonly yes: boolean;
      readonly json: boolean;
    }
  | {
      readonly kind: 'api register';
      readonly name: string;
      /** A file, or the URL of one. */
      readonly file: string;
      /** Also into the project. */
      readonly adds: boolean;
      readonly serviceUrl: string | undefined;
      readonly description: string | undefined;
      readonly json: boolean;
    }
  | { readonly kind: 'api history'; readonly name: string; readonly json: boolean }
  | {
      readonly kind: 'api restore';
      readonly name: string;
      readonly state: number;
      readonly yes: boolean;
      readonly json: boolean;
    }
  | {
      readonly kind: 'api fetch';
      readonly name: string;
      readonly url: string | undefined;
      /** Also where clients lose something. */
      readonly yes: boolean;
      readonly json: boolean;
    };

export type RegistryCommand = Exclude<ApiCommand, { kind: 'validate' | 'suggest' }>;

type Choose = (command: ApiCommand) => void;

interface JsonOption {
  readonly json?: boolean;
}

export const OVERLAY = [
  '--overlay <FILE>',
  'the OpenAPI Overlay of the only FILE, instead of the one beside it',
] as const;

export function addValidateCommand(program: Command, choose: Choose): void {
  program
    .command('validate <FILE...>')
    .summary('prints what is wrong with OpenAPI files, and where')
    .description(
      `Prints what OpenAPI files are, how many of their lists would be tables and why the others would not, and what
is wrong, left out or noted, with line, column and JSON pointer; what is the same at many places is told once.
Nothing is read beside the files and their overlays: api.overlay.yaml for api.yaml.`,
    )
    .option(...OVERLAY)
    .option('--json', 'the reports as JSON')
    .addHelpText('after', exitCodes('0 where there are no errors, 1 where there are some'))
    .action((files: readonly string[], { overlay, json }: JsonOption & { readonly overlay?: string }) => {
      refuseOverlay(overlay, files);
      choose({ kind: 'validate', files, overlay, json: json ?? false });
    });
}

export function addSuggestCommand(program: Command, choose: Choose): void {
  program
    .command('suggest <FILE>')
    .summary('writes an overlay that says what is found in an OpenAPI file')
    .description(
      `Writes the OpenAPI Overlay that says what the conventions find in an OpenAPI file: names and keys of its entity
sets. In comments stand what you must decide, such as grants, pages and filters, and the lists that are no
tables. The overlay alone changes nothing that is served. One beside the file is not looked at.`,
    )
    .option(
      '-o, --output <FILE>',
      'where it is written, such as api.overlay.yaml; the standard output otherwise',
    )
    .addHelpText('after', exitCodes('0; 1 where a file cannot be read or written'))
    .action((file: string, { output }: { readonly output?: string }) =>
      choose({ kind: 'suggest', file, output }),
    );
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
      `Runs an operation of an API of the project as the gateway would, with its identifiers, deadline and limits,
and prints the answer. PATH is below the service URL of the API, with its query: '/posts?userId=1'.`,
    )
    .option(
      "--header <'NAME: VALUE'>",
      'a header that the operation has a parameter for, Accept or Content-Type; may be repeated',
      collect,
    )
    .option('--body <TEXT>', 'the body of the request; - reads it from the standard input')
    .option('--json', 'request, answer, time and a curl line as JSON')
    .addHelpText('after', exitCodes('0; 1 where the answer is an error'))
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

const YES = [
  '--yes',
  'also where it takes something from those who use the API; it is said what otherwise',
] as const;

function stateOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`STATE is a number that \`duogate api history\` lists, not ${JSON.stringify(text)}.`);
}

const JSON_ANSWER = ['--json', 'the answer as JSON'] as const;

export function addApiCommands(program: Command, choose: Choose): void {
  const api = program
    .command('api')
    .summary('registers APIs, puts them into the project and takes them out')
    .description(
      `Sees to the APIs of the project that MESH_CONFIG names: those that it serves, and those that are registered
beside it in openapi/. A gateway that runs follows the files.`,
    );
  api
    .command('list')
    .description('Lists the APIs.')
    .option(...JSON_ANSWER)
    .action(({ json = false }: JsonOption) => choose({ kind: 'api list', json }));
  api
    .command('register <NAME> <FILE>')
    .description('Stores the OpenAPI file in openapi/, or that of a URL in the place of FILE.')
    .option('--service-url <URL>', "where the API is called; the document's first server otherwise")
    .option('--description <TEXT>', 'what the API is for')
    .option(...JSON_ANSWER)
    .action((name: string, file: string, { serviceUrl, description, json = false }: RegisterOptions) =>
      choose({ kind: 'api register', name, file, adds: false, serviceUrl, description, json }),
    );
  api
    .command('fetch <NAME>')
    .summary('reads the file of an API again')
    .description(
      'Reads its file or, from a host of REGISTRY_HOSTS, a URL; says which operations have changed.',
    )
    .option('--url <URL>', 'where the document is; the URL of the last time otherwise')
    .option(...YES)
    .option(...JSON_ANSWER)
    .action((name: string, { url, yes = false, json = false }: FetchOptions) =>
      choose({ kind: 'api fetch', name, url, yes, json }),
    );
  api
    .command('history <NAME>')
    .description('Lists its last ten changes, each with the number of the state that was before it.')
    .option(...JSON_ANSWER)
    .action((name: string, { json = false }: JsonOption) => choose({ kind: 'api history', name, json }));
  api
    .command('restore <NAME> <STATE>')
    .summary('brings back an earlier state of an API')
    .description('Brings back document, overlay and settings as they were in that state of its history.')
    .option(...YES)
    .option(...JSON_ANSWER)
    .action((name: string, state: string, { yes = false, json = false }: FetchOptions) =>
      choose({ kind: 'api restore', name, state: stateOf(state), yes, json }),
    );
  api
    .command('show <NAME>')
    .description('Tells what is known of an API.')
    .option(...JSON_ANSWER)
    .action((name: string, { json = false }: JsonOption) => choose({ kind: 'api show', name, json }));
  api
    .command('add <NAME>')
    .summary('puts an API into the project')
    .description(
      `Puts a registered API into the project; nothing is changed where it cannot be served. With the URL of an OpenAPI
document in the place of NAME, it is fetched and registered before.`,
    )
    .option(
      '--name <NAME>',
      'what an API is called that a URL is given of; what its file is called otherwise',
    )
    .option('--service-url <URL>', "where that API is called; the document's first server otherwise")
    .option(...JSON_ANSWER)
    .action((name: string, options: AddOptions) => choose(addition(name, options)));
  for (const [verb, does] of REMOVALS) {
    api
      .command(`${verb} <NAME>`)
      .description(does)
      .option('--yes', 'does it; what goes is told otherwise')
      .option(...JSON_ANSWER)
      .action((name: string, { yes = false, json = false }: FetchOptions) =>
        choose({ kind: `api ${verb}`, name, yes, json }),
      );
  }
}

interface AddOptions extends JsonOption {
  readonly name?: string;
  readonly serviceUrl?: string;
}

function addition(place: string, { name, serviceUrl, json = false }: AddOptions): ApiCommand {
  if (isUrl(place)) {
    const found = name ?? sourceNames([new URL(place).pathname])[0];
    return {
      kind: 'api register',
      name: found || 'Api',
      file: place,
      adds: true,
      serviceUrl,
      description: undefined,
      json,
    };
  }
  if (name === undefined && serviceUrl === undefined) return { kind: 'api add', name: place, json };
  throw new UsageError('--name and --service-url belong to the URL of a document.');
}

export function isUrl(place: string): boolean {
  return /^https?:\/\//i.test(place) && URL.canParse(place);
}

const REMOVALS = [
  ['remove', 'Takes it out of the project; it stays registered.'],
  ['delete', 'Takes it out of the project, and its document, its overlay and its history away.'],
] as const;

export function exitCodes(codes: string): string {
  return `\nExit codes: ${codes}; 2 where the command is not understood.`;
}

function headerOf(text: string): readonly [string, string] {
  const [, name, value] = /^([^\s:]+):\s*(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new UsageError(`A header is 'NAME: VALUE', not ${JSON.stringify(text)}.`);
}
