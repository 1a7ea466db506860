import type { Command } from 'commander';
import { SAMPLE_NAMES, type SampleName } from '../demo/sample-names.ts';
import { roleOf } from './account-options.ts';
import { UsageError } from './usage-error.ts';

export type ServeCommand =
  | {
      readonly kind: 'serve';
      /**
       * A document, its URL, or a folder with documents or a project; by default, the project of the working
       * directory.
       */
      readonly place: string | undefined;
      readonly upstream: string | undefined;
      readonly port: string | undefined;
      readonly auth: 'required' | 'off' | undefined;
      readonly opensBrowser: boolean;
    }
  | { readonly kind: 'init'; readonly directory: string; readonly document: string | undefined }
  | { readonly kind: 'demo'; readonly api: SampleName }
  | { readonly kind: 'completion'; readonly shell: string }
  | {
      readonly kind: 'grant';
      readonly role: string;
      readonly entity: string;
      readonly rights: readonly string[];
    };

type Choose = (command: ServeCommand) => void;

interface ServeOptions {
  readonly upstream?: string;
  readonly port?: string;
  readonly auth?: string;
  readonly open?: boolean;
}

export function addServeCommand(program: Command, choose: Choose): void {
  program
    .command('serve [FILE|URL|DIR]')
    .summary('serves an OpenAPI file or a project as OData and GraphQL')
    .description(
      `Serves an OpenAPI file, the file at a URL, a folder of such files, or a folder with a project. Without an
argument, it serves the project that MESH_CONFIG names, .meshrc.yaml by default. If there is no project,
accounts and keys are kept in .duogate/ in the working directory. Other settings are read from the
environment.`,
    )
    .option('--upstream <URL>', "the base URL of the API (default: the document's first server)")
    .option('--port <PORT>', 'the port to listen on (default: 4000)')
    .option('--auth <required|off>', 'off lets everyone on this machine do everything')
    .option('--open', 'open the service in a browser')
    .action((place: string | undefined, { upstream, port, auth, open = false }: ServeOptions) => {
      if (upstream !== undefined && place === undefined) {
        throw new UsageError('--upstream needs a FILE or a URL: a project says where its APIs are.');
      }
      choose({ kind: 'serve', place, upstream, port, auth: authOf(auth), opensBrowser: open });
    });
}

function authOf(text: string | undefined): 'required' | 'off' | undefined {
  if (text === undefined || text === 'off' || text === 'required') return text;
  throw new UsageError(`--auth must be required or off, not ${JSON.stringify(text)}.`);
}

export function addInitCommand(program: Command, choose: Choose): void {
  program
    .command('init [DIR]')
    .summary('creates a project folder')
    .description(
      `Creates a folder that you can serve, keep in version control and run as a container: .meshrc.yaml, the
document with an overlay beside it, .env with a new secret and the most common settings, and compose.yaml.
Existing files are never overwritten.`,
    )
    .option('--document <FILE>', 'the OpenAPI file to start with (default: a sample)')
    .action((directory: string | undefined, { document }: { readonly document?: string }) =>
      choose({ kind: 'init', directory: directory ?? '.', document }),
    );
}

export function addDemoCommand(program: Command, choose: Choose): void {
  program
    .command('demo')
    .summary('serves a sample API to try things out')
    .description(
      'Serves a sample API as OData and GraphQL, on this machine only, with an account created for it.',
    )
    .option(
      `--api <${SAMPLE_NAMES.join('|')}>`,
      'short posts, or a library that uses everything a model can have',
      SAMPLE_NAMES[0],
    )
    .action(({ api }: { readonly api: string }) => choose({ kind: 'demo', api: sampleOf(api) }));
}

function sampleOf(text: string): SampleName {
  const name = SAMPLE_NAMES.find((each) => each === text);
  if (name !== undefined) return name;
  throw new UsageError(`--api must be ${SAMPLE_NAMES.join(' or ')}, not ${JSON.stringify(text)}.`);
}

export function addGrantCommand(program: Command, choose: Choose): void {
  program
    .command('grant <ROLE> <ENTITY> <RIGHT...>')
    .summary('grants a role rights on an entity')
    .description(
      `Grants rights by writing them to the overlay beside the API's document, which itself never changes. ENTITY
is an entity set, a singleton, or '*' for all of them; RIGHT is View, Insert, Update, Delete, or - for none.
It replaces the role's previous rights. A running gateway picks up the change.`,
    )
    .action((role: string, entity: string, rights: readonly string[]) =>
      choose({ kind: 'grant', role: roleOf(role), entity, rights: rightsOf(rights) }),
    );
}

const RIGHTS = ['View', 'Insert', 'Update', 'Delete'] as const;

function rightsOf(texts: readonly string[]): readonly string[] {
  if (texts.length === 1 && texts[0] === '-') return [];
  return texts.map((text) => {
    const right = RIGHTS.find((each) => each.toLowerCase() === text.toLowerCase());
    if (right !== undefined) return right;
    throw new UsageError(`RIGHT must be ${RIGHTS.join(', ')} or -, not ${JSON.stringify(text)}.`);
  });
}

export function addCompletionCommand(program: Command, choose: Choose): void {
  program
    .command('completion <bash|zsh|fish>')
    .summary('prints a script for shell completion')
    .description(
      "Prints a script to load in the shell's start-up file, such as: source <(duogate completion bash)",
    )
    .action((shell: string) => {
      if (!['bash', 'zsh', 'fish'].includes(shell))
        throw new UsageError('The shell must be bash, zsh or fish.');
      choose({ kind: 'completion', shell });
    });
}
