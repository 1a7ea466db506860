import { parseArgs } from 'node:util';
import { HELP, Mistake, refuseOverlay } from './mistake.ts';

export const VALIDATE_USAGE = `Usage: duogate validate FILE... [--overlay FILE] [--json]

Prints what OpenAPI files are, how many of their lists would be tables and why the others would not, and what
is wrong, left out or noted, with line, column and JSON pointer; what is the same at many places is told once.
Nothing is read beside the files and their overlays: api.overlay.yaml for api.yaml.

  --overlay FILE   the OpenAPI Overlay of the only FILE, instead of the one beside it
  --json           the reports as JSON
  -h, --help       this text

Exit codes: 0 where there are no errors, 1 where there are some, 2 where the command is not understood.
`;

export const SUGGEST_USAGE = `Usage: duogate suggest FILE [-o FILE]

Writes the OpenAPI Overlay that says what the conventions find in an OpenAPI file: names and keys of its entity
sets. In comments stand what you must decide, such as grants, pages and filters, and the lists that are no
tables. The overlay alone changes nothing that is served. One beside the file is not looked at.

  -o, --output FILE   where it is written, such as api.overlay.yaml; the standard output otherwise
  -h, --help          this text

Exit codes: 0; 1 where a file cannot be read or written; 2 where the command is not understood.
`;

export const TRY_USAGE = `Usage: duogate try API METHOD PATH [--header 'NAME: VALUE']... [--body TEXT] [--json]

Runs an operation of an API of the project as the gateway would, with its identifiers, deadline and limits,
and prints the answer. PATH is below the service URL of the API, with its query: '/posts?userId=1'.

  --header 'NAME: VALUE'   a header that the operation has a parameter for, Accept or Content-Type
  --body TEXT              the body of the request; - reads it from the standard input
  --json                   request, answer, time and a curl line as JSON
  -h, --help               this text

Exit codes: 0; 1 where the answer is an error; 2 where the command is not understood.
`;

export const API_USAGE = `Usage: duogate api list
       duogate api show NAME
       duogate api register NAME FILE [--service-url URL] [--description TEXT]
       duogate api add NAME
       duogate api remove NAME
       duogate api delete NAME
       duogate api fetch NAME [--url URL]

Sees to the APIs of the project that MESH_CONFIG names: those that it serves, and those that are registered
beside it in openapi/. A gateway that runs follows the files.

  register   stores the OpenAPI file in openapi/
  add        puts a registered API into the project; nothing is changed where it cannot be served
  remove     takes it out of the project; it stays registered
  delete     takes it out of the project, and its files away
  fetch      reads its file or, from a host of REGISTRY_HOSTS, a URL; says which operations have changed

  --json       the answer as JSON
  -h, --help   this text
`;

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
  | {
      readonly kind: 'api show' | 'api add' | 'api remove' | 'api delete';
      readonly name: string;
      readonly json: boolean;
    }
  | {
      readonly kind: 'api register';
      readonly name: string;
      readonly file: string;
      readonly serviceUrl: string | undefined;
      readonly description: string | undefined;
      readonly json: boolean;
    }
  | {
      readonly kind: 'api fetch';
      readonly name: string;
      readonly url: string | undefined;
      readonly json: boolean;
    };

type Help = { readonly kind: 'help'; readonly usage: string };

const JSON_OUTPUT = { type: 'boolean', default: false } as const;

export function readValidate(rest: readonly string[]): ApiCommand | Help {
  const options = { json: JSON_OUTPUT, overlay: { type: 'string' }, help: HELP } as const;
  const { values, positionals } = parseArgs({ args: [...rest], options, allowPositionals: true });
  if (values.help) return { kind: 'help', usage: VALIDATE_USAGE };
  if (positionals.length === 0) throw new Mistake('The FILE is missing.');
  refuseOverlay(values.overlay, positionals);
  return { kind: 'validate', files: positionals, overlay: values.overlay, json: values.json };
}

export function readSuggest(rest: readonly string[]): ApiCommand | Help {
  const options = { output: { type: 'string', short: 'o' }, help: HELP } as const;
  const { values, positionals } = parseArgs({ args: [...rest], options, allowPositionals: true });
  if (values.help) return { kind: 'help', usage: SUGGEST_USAGE };
  const [file = ''] = exactly(positionals, ['FILE']);
  return { kind: 'suggest', file, output: values.output };
}

export function readTry(rest: readonly string[]): ApiCommand | Help {
  const options = {
    header: { type: 'string', multiple: true },
    body: { type: 'string' },
    json: JSON_OUTPUT,
    help: HELP,
  } as const;
  const { values, positionals } = parseArgs({ args: [...rest], options, allowPositionals: true });
  if (values.help) return { kind: 'help', usage: TRY_USAGE };
  const [api = '', method = '', path = ''] = exactly(positionals, ['API', 'METHOD', 'PATH']);
  const headers = Object.fromEntries((values.header ?? []).map(headerOf));
  return { kind: 'try', api, method, path, headers, body: values.body, json: values.json };
}

function headerOf(text: string): readonly [string, string] {
  const [, name, value] = /^([^\s:]+):\s*(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new Mistake(`A header is 'NAME: VALUE', not ${JSON.stringify(text)}.`);
}

const VERBS: ReadonlySet<string> = new Set(['list', 'show', 'register', 'add', 'remove', 'delete', 'fetch']);

export function readApi(rest: readonly string[]): ApiCommand | Help {
  const options = {
    'service-url': { type: 'string' },
    description: { type: 'string' },
    url: { type: 'string' },
    json: JSON_OUTPUT,
    help: HELP,
  } as const;
  const { values, positionals } = parseArgs({ args: [...rest], options, allowPositionals: true });
  if (values.help) return { kind: 'help', usage: API_USAGE };
  const [verb = '', ...operands] = positionals;
  const { json } = values;
  if (!VERBS.has(verb)) {
    const found = verb === '' ? 'Nothing is said to do' : `There is no ${JSON.stringify(verb)}`;
    throw new Mistake(`${found}: known are ${[...VERBS].join(', ')}.`);
  }
  const { url, description, 'service-url': serviceUrl } = values;
  refuseOption('--url', url, verb, 'fetch');
  refuseOption('--description', description, verb, 'register');
  refuseOption('--service-url', serviceUrl, verb, 'register');
  switch (verb) {
    case 'list':
      exactly(operands, []);
      return { kind: 'api list', json };
    case 'register': {
      const [name = '', file = ''] = exactly(operands, ['NAME', 'FILE']);
      return { kind: 'api register', name, file, serviceUrl, description, json };
    }
    case 'fetch': {
      const [name = ''] = exactly(operands, ['NAME']);
      return { kind: 'api fetch', name, url, json };
    }
    default: {
      const [name = ''] = exactly(operands, ['NAME']);
      return { kind: `api ${verb as 'show' | 'add' | 'remove' | 'delete'}`, name, json };
    }
  }
}

function refuseOption(option: string, value: string | undefined, verb: string, owner: string): void {
  if (value !== undefined && verb !== owner) throw new Mistake(`${option} is for ${owner}.`);
}

function exactly(operands: readonly string[], names: readonly string[]): readonly string[] {
  const missing = names[operands.length];
  if (missing !== undefined) throw new Mistake(`The ${missing} is missing.`);
  const excess = operands[names.length];
  if (excess !== undefined) throw new Mistake(`${JSON.stringify(excess)} is too much.`);
  return operands;
}
