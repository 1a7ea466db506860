import type { Command } from 'commander';
import { collect } from './account-options.ts';
import { exitCodes, OVERLAY } from './api-options.ts';
import { assertOverlayForOneFile, UsageError } from './usage-error.ts';

export type MetadataForm = 'xml' | 'json';

/** The sources of a model. */
export type ModelInput =
  | { readonly kind: 'files'; readonly files: readonly string[]; readonly overlay: string | undefined }
  /** Without a file, the project of the working directory. */
  | { readonly kind: 'project'; readonly file: string | undefined };

export type ModelCommand =
  | {
      readonly kind: 'model';
      readonly input: ModelInput;
      readonly output: ModelOutput;
      /** The file of the earlier model that this one is compared with. */
      readonly earlier?: string | undefined;
    }
  | { readonly kind: 'grants'; readonly input: ModelInput }
  | { readonly kind: 'schema'; readonly input: ModelInput; readonly roles: readonly string[] }
  | {
      readonly kind: 'explain';
      readonly url: string;
      readonly input: ModelInput;
      readonly roles: readonly string[];
    }
  | { readonly kind: 'probe'; readonly json: boolean; readonly forget: boolean }
  | {
      readonly kind: 'learn';
      readonly api: string | undefined;
      readonly operation: string | undefined;
      readonly calls: boolean;
      readonly writes: boolean;
    };

export type ModelOutput = MetadataForm | 'report' | 'json-report' | 'diagram';

type Choose = (command: ModelCommand) => void;

interface InputOptions {
  readonly project?: string;
  readonly overlay?: string;
}

interface ModelOptions extends InputOptions {
  /** True without a format. */
  readonly metadata?: string | true;
  readonly json?: boolean;
  readonly diagram?: boolean;
  readonly diff?: string;
}

const PROJECT = [
  '--project <FILE>',
  'use the sources of a project file instead of FILEs (default: the project that duogate serve would serve)',
] as const;

export function addModelCommand(program: Command, choose: Choose): void {
  program
    .command('model [FILE...]')
    .summary('prints what OpenAPI files become, and what is left out and why')
    .description(
      `Prints the entity data model of OpenAPI 3.1, 3.0 or Swagger 2.0 files, in YAML or JSON, as one service: the
entity sets with their keys and operations, singletons, functions and actions, the credentials that the APIs
need, and what is left out of the service and why, beginning with what costs most. If there is an OpenAPI
Overlay api.overlay.yaml, it is applied to api.yaml.`,
    )
    .option(...PROJECT)
    .option(...OVERLAY)
    .option('--metadata [xml|json]', 'print the model as OData CSDL (default: xml)')
    .option('--diagram', 'print the entity types and their relations as a Mermaid diagram')
    .option(
      '--diff <OLD>',
      'print what clients notice that used OLD before: an earlier OpenAPI file, or what --metadata json printed',
    )
    .option('--json', 'print the report, or the differences, as JSON')
    .addHelpText(
      'after',
      exitCodes(
        '0, even if something is left out; 1 if a document has errors or cannot be read, or if clients lose something',
      ),
    )
    .action(
      (files: readonly string[], { metadata, json = false, diagram, diff, ...options }: ModelOptions) => {
        const forms = [metadata !== undefined, diagram === true, diff !== undefined].filter(Boolean);
        if (forms.length > 1) throw new UsageError('--metadata, --diagram and --diff exclude each other.');
        if (diagram === true || diff !== undefined) {
          if (diagram === true && json) throw new UsageError('--json is for the report and for --diff.');
          const output = diagram === true ? 'diagram' : json ? 'json-report' : 'report';
          choose({ kind: 'model', input: readInput(files, options), output, earlier: diff });
          return;
        }
        // The word after the option is its format, or else the first file.
        const isForm = metadata === undefined || metadata === true || FORMS.has(metadata);
        const given = isForm || files.length > 0 ? files : [metadata];
        const form = metadata === true || given !== files ? 'xml' : metadata;
        choose({ kind: 'model', input: readInput(given, options), output: readOutput(form, json) });
      },
    );
}

const FORMS: ReadonlySet<string> = new Set(['xml', 'json']);

export function addGrantsCommand(program: Command, choose: Choose): void {
  program
    .command('grants [FILE...]')
    .summary('prints what each role may do with each entity')
    .description(
      `Prints what each role may do with each entity set, singleton, function and action, as the OpenAPI files
grant it in x-odata. What is not granted is forbidden.`,
    )
    .option(...PROJECT)
    .option(...OVERLAY)
    .action((files: readonly string[], options: InputOptions) =>
      choose({ kind: 'grants', input: readInput(files, options) }),
    );
}

export function addSchemaCommand(program: Command, choose: Choose): void {
  program
    .command('schema [FILE...]')
    .summary('prints the GraphQL schema, optionally as a role sees it')
    .description(
      `Prints the GraphQL schema of the OpenAPI files, for code generators and for comparing versions.`,
    )
    .option(...PROJECT)
    .option(...OVERLAY)
    .option('--role <ROLE>', 'only what users with this role see; may be repeated', collect)
    .action((files: readonly string[], options: InputOptions & { readonly role?: readonly string[] }) =>
      choose({ kind: 'schema', input: readInput(files, options), roles: options.role ?? [] }),
    );
}

export function addExplainCommand(program: Command, choose: Choose): void {
  program
    .command('explain <URL> [FILE...]')
    .summary('prints the calls that answer an OData URL, without making any')
    .description(
      `Prints which calls of the API answer a URL such as "Order?$filter=Id eq 5", below the root of the OData
service: reads by key, the list with parameters, pages until there are enough rows, or the whole list. It calls
nothing, so that it knows neither how long lists are nor which parameters have proved what they do: it prints
the plan of both cases.`,
    )
    .option(...PROJECT)
    .option(...OVERLAY)
    .option('--role <ROLE>', 'only what users with this role see; may be repeated', collect)
    .action(
      (
        url: string,
        files: readonly string[],
        options: InputOptions & { readonly role?: readonly string[] },
      ) => choose({ kind: 'explain', url, input: readInput(files, options), roles: options.role ?? [] }),
    );
}

export function addProbeCommand(program: Command, choose: Choose): void {
  program
    .command('probe')
    .summary('calls the APIs to see what parameters of lists do, and whether relations hold')
    .description(
      `Reads the first page of each list of the project that MESH_CONFIG names and tries out the parameters that may
narrow or sort it, by GET requests alone and with the project's own credentials. It prints which of them a gateway
uses for conditions and orders; a gateway tries them out by itself when a query first needs them. What it finds is
left in .duogate/parameters.json for the gateways of the project, for a day: names and outcomes, and no values of rows.

Then it looks up to 20 values of each relation between entity sets in the set that it refers to, with at most 5 calls,
and prints how many are there. duogate suggest --accept and --refuse write a decision about a relation.`,
    )
    .option('--json', 'print the outcomes as JSON')
    .option('--forget', 'call nothing, and have the gateways of the project forget what was found')
    .addHelpText(
      'after',
      exitCodes('0; 1 if a list cannot be read, or no value of a served relation is found'),
    )
    .action(({ json = false, forget = false }: { readonly json?: boolean; readonly forget?: boolean }) =>
      choose({ kind: 'probe', json, forget }),
    );
}

interface LearnOptions {
  readonly operation?: string;
  readonly call?: boolean;
  readonly write?: boolean;
}

export function addLearnCommand(program: Command, choose: Choose): void {
  program
    .command('learn [API]')
    .summary('learns from answers what a document does not say')
    .description(
      `Lists the reads of the project that MESH_CONFIG names of which the documents do not say what they answer with. With
--call it calls them, by GET requests alone and with the project's own credentials, and prints what an overlay would
gain: schemas of up to 200 rows, with types, formats and nulls, and no values. With --write it writes that into the
overlay beside the document. What is learnt again becomes wider, and never narrower.`,
    )
    .option('--operation <ID>', 'only this operation, by its id or its path')
    .option('--call', 'call the APIs, and print the changes of the overlays')
    .option('--write', 'call the APIs, print the changes of the overlays, and write them')
    .addHelpText('after', exitCodes('0; 1 if the project cannot be read'))
    .action((api: string | undefined, { operation, call = false, write = false }: LearnOptions) =>
      choose({ kind: 'learn', api, operation, calls: call, writes: write }),
    );
}

function readInput(
  files: readonly string[],
  { project, overlay }: { readonly project?: string | undefined; readonly overlay?: string | undefined },
): ModelInput {
  const [file] = files;
  if (project === undefined) {
    if (file === undefined && overlay === undefined) return { kind: 'project', file: undefined };
    assertOverlayForOneFile(overlay, files);
    return { kind: 'files', files, overlay };
  }
  if (overlay !== undefined)
    throw new UsageError('--overlay needs a FILE: the overlays of a project are beside its documents.');
  if (file === undefined) return { kind: 'project', file: project };
  throw new UsageError(`A project names its own files, so ${JSON.stringify(file)} cannot be given as well.`);
}

function readOutput(metadata: string | undefined, json: boolean): ModelOutput {
  if (metadata === undefined) return json ? 'json-report' : 'report';
  if (json) throw new UsageError('--json is for the report; for metadata as JSON, use --metadata json.');
  if (isForm(metadata)) return metadata;
  throw new UsageError(`--metadata must be xml or json, not ${JSON.stringify(metadata)}.`);
}

function isForm(text: string): text is MetadataForm {
  return FORMS.has(text);
}
