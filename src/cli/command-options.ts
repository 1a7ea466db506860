import { parseArgs } from 'node:util';
import { type AccountCommand, KEY_USAGE, readKey, readUser, USER_USAGE } from './account-options.ts';
import {
  API_USAGE,
  type ApiCommand,
  readApi,
  readSuggest,
  readTry,
  readValidate,
  SUGGEST_USAGE,
  TRY_USAGE,
  VALIDATE_USAGE,
} from './api-options.ts';
import { HELP, Mistake, refuseOverlay } from './mistake.ts';

const MODEL_USAGE = `Usage: duogate model FILE... [--overlay FILE] [--metadata [xml|json]] [--json]
       duogate model --project FILE [--metadata [xml|json]] [--json]

Prints the entity data model of OpenAPI 3.1, 3.0 or Swagger 2.0 files, in YAML or JSON, as one service: the
entity sets with their keys and operations, singletons, functions and actions, the credentials that the APIs
ask for, and what is left out of the service and why. The OpenAPI Overlay api.overlay.yaml, where there is
one, is applied to api.yaml.

  --project FILE          the sources of a project file, such as .meshrc.yaml, instead of FILEs
  --overlay FILE          the OpenAPI Overlay of the only FILE, instead of the one beside it
  --metadata [xml|json]   the model as OData CSDL instead; XML is the default
  --json                  the report as JSON
  -h, --help              this text

Exit codes: 0, also where something is left out; 1 where a document has errors or cannot be read;
2 where the command is not understood.
`;

const SERVE_USAGE = `Usage: duogate serve

Serves the project that MESH_CONFIG names, .meshrc.yaml by default, as OData and as GraphQL.
All settings are read from the environment; what is wrong with them is said before anything starts.

  -h, --help   this text
`;

const GRANTS_USAGE = `Usage: duogate grants FILE... [--overlay FILE]
       duogate grants --project FILE

Prints what each role may do with each entity set, singleton, function and action: what the OpenAPI files
grant in x-odata. What is not granted is forbidden.

  --project FILE   the sources of a project file, such as .meshrc.yaml, instead of FILEs
  --overlay FILE   the OpenAPI Overlay of the only FILE, instead of the one beside it
  -h, --help       this text
`;

const SCHEMA_USAGE = `Usage: duogate schema FILE... [--overlay FILE] [--role ROLE]...
       duogate schema --project FILE [--role ROLE]...

Prints the GraphQL schema that the OpenAPI files are served with, for generators of code and for comparing
versions.

  --project FILE   the sources of a project file, such as .meshrc.yaml, instead of FILEs
  --overlay FILE   the OpenAPI Overlay of the only FILE, instead of the one beside it
  --role ROLE      what users with the role, or with all of several roles, are shown of it
  -h, --help       this text
`;

export const USAGE = `Usage: duogate COMMAND

  serve             serves the project of the working directory as OData and as GraphQL
  model FILE...     prints what OpenAPI files become, and what is left out of them and why
  validate FILE...  prints what is wrong with OpenAPI files, and where
  suggest FILE      writes an overlay that says what is found in an OpenAPI file
  grants FILE...    prints what each role may do with each entity
  schema FILE...    prints the GraphQL schema, also as a role is shown it
  api               registers APIs, puts them into the project and takes them out
  try               runs an operation of an API as the gateway would
  user              adds accounts, sets their roles, disables them
  key               makes, lists and revokes API keys of accounts

  -h, --help        this text; after a command, that of the command
`;

/** Forms of the CSDL document. */
export type MetadataForm = 'xml' | 'json';

/** What a model is made of. */
export type ModelInput =
  | { readonly kind: 'files'; readonly files: readonly string[]; readonly overlay: string | undefined }
  | { readonly kind: 'project'; readonly file: string };

export type Command =
  | { readonly kind: 'serve' }
  | {
      readonly kind: 'model';
      readonly input: ModelInput;
      readonly output: MetadataForm | 'report' | 'json-report';
    }
  | { readonly kind: 'grants'; readonly input: ModelInput }
  | { readonly kind: 'schema'; readonly input: ModelInput; readonly roles: readonly string[] }
  | AccountCommand
  | ApiCommand
  | { readonly kind: 'mistake'; readonly message: string; readonly usage: string };

/** Understands what stands behind `duogate` on the command line. */
export function readCommand([name, ...rest]: readonly string[]): Command {
  if (name === '--help' || name === '-h') return { kind: 'help', usage: USAGE };
  if (name === 'serve') return readSafely(readServe, rest, SERVE_USAGE);
  if (name === 'model') return readSafely(readModel, rest, MODEL_USAGE);
  if (name === 'grants') return readSafely(readGrants, rest, GRANTS_USAGE);
  if (name === 'schema') return readSafely(readSchema, rest, SCHEMA_USAGE);
  if (name === 'suggest') return readSafely(readSuggest, rest, SUGGEST_USAGE);
  if (name === 'validate') return readSafely(readValidate, rest, VALIDATE_USAGE);
  if (name === 'api') return readSafely(readApi, rest, API_USAGE);
  if (name === 'try') return readSafely(readTry, rest, TRY_USAGE);
  if (name === 'user') return readSafely(readUser, rest, USER_USAGE);
  if (name === 'key') return readSafely(readKey, rest, KEY_USAGE);
  const message =
    name === undefined
      ? 'The COMMAND is missing.'
      : `There is no command ${JSON.stringify(name)}: known are serve, model, validate, suggest, grants, schema, api, try, user and key.`;
  return { kind: 'mistake', message, usage: USAGE };
}

function readSafely(
  read: (rest: readonly string[]) => Command,
  rest: readonly string[],
  usage: string,
): Command {
  try {
    return read(rest);
  } catch (error) {
    if (!(error instanceof Mistake || isParseError(error))) throw error;
    // Node's own messages go on to explain how its parser works.
    const [message = ''] = error.message.split('. ');
    return { kind: 'mistake', message: message.endsWith('.') ? message : `${message}.`, usage };
  }
}

function isParseError(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}

function readServe(rest: readonly string[]): Command {
  const { values } = parseArgs({ args: [...rest], options: { help: HELP } });
  return values.help ? { kind: 'help', usage: SERVE_USAGE } : { kind: 'serve' };
}

function readModel(rest: readonly string[]): Command {
  const { values, positionals } = parseArgs({
    args: withForm(rest),
    options: {
      project: { type: 'string' },
      overlay: { type: 'string' },
      metadata: { type: 'string' },
      json: { type: 'boolean' },
      help: HELP,
    },
    allowPositionals: true,
  });
  if (values.help) return { kind: 'help', usage: MODEL_USAGE };
  const input = readInput(positionals, values);
  return { kind: 'model', input, output: readOutput(values.metadata, values.json ?? false) };
}

function readGrants(rest: readonly string[]): Command {
  const options = { project: { type: 'string' }, overlay: { type: 'string' }, help: HELP } as const;
  const { values, positionals } = parseArgs({ args: [...rest], options, allowPositionals: true });
  if (values.help) return { kind: 'help', usage: GRANTS_USAGE };
  return { kind: 'grants', input: readInput(positionals, values) };
}

function readSchema(rest: readonly string[]): Command {
  const { values, positionals } = parseArgs({
    args: [...rest],
    options: {
      project: { type: 'string' },
      overlay: { type: 'string' },
      role: { type: 'string', multiple: true },
      help: HELP,
    },
    allowPositionals: true,
  });
  if (values.help) return { kind: 'help', usage: SCHEMA_USAGE };
  return { kind: 'schema', input: readInput(positionals, values), roles: values.role ?? [] };
}

function readInput(
  files: readonly string[],
  { project, overlay }: { readonly project?: string | undefined; readonly overlay?: string | undefined },
): ModelInput {
  const [file] = files;
  if (project === undefined) {
    if (file === undefined) throw new Mistake('The FILE is missing.');
    refuseOverlay(overlay, files);
    return { kind: 'files', files, overlay };
  }
  if (overlay !== undefined)
    throw new Mistake('--overlay is for a FILE: those of a project lie beside its documents.');
  if (file === undefined) return { kind: 'project', file: project };
  throw new Mistake(`The project names its files: ${JSON.stringify(file)} is too much.`);
}

function readOutput(metadata: string | undefined, json: boolean): MetadataForm | 'report' | 'json-report' {
  if (metadata === undefined) return json ? 'json-report' : 'report';
  if (json) throw new Mistake('--json is for the report: the metadata as JSON is --metadata json.');
  if (isForm(metadata)) return metadata;
  throw new Mistake(`The metadata is xml or json, not ${JSON.stringify(metadata)}.`);
}

/** Gives `--metadata` the value that it may go without. A file that is called `json` goes by `./json`. */
function withForm(rest: readonly string[]): string[] {
  const end = rest.indexOf('--');
  const at = rest.indexOf('--metadata');
  if (at < 0 || (end >= 0 && end < at)) return [...rest];
  const next = rest[at + 1];
  const isGiven = next !== undefined && isForm(next);
  const form = isGiven ? next : 'xml';
  return [...rest.slice(0, at), `--metadata=${form}`, ...rest.slice(at + (isGiven ? 2 : 1))];
}

function isForm(text: string): text is MetadataForm {
  return text === 'xml' || text === 'json';
}
