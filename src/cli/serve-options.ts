import type { Command } from 'commander';
import { roleOf } from './account-options.ts';
import { UsageError } from './usage-error.ts';

export type ServeCommand =
  | {
      readonly kind: 'serve';
      /** A document, its URL, or a folder of documents or of a project; the working directory's project otherwise. */
      readonly place: string | undefined;
      readonly upstream: string | undefined;
      readonly port: string | undefined;
      readonly auth: 'required' | 'off' | undefined;
      readonly opensBrowser: boolean;
    }
  | { readonly kind: 'init'; readonly directory: string; readonly document: string | undefined }
  | { readonly kind: 'demo'; readonly api: string | undefined }
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
    .summary('serves an OpenAPI file, or a project, as OData and as GraphQL')
    .description(
      `Serves an OpenAPI file, the file at a URL, a folder of such files, or a folder with a project; without any,
the project that MESH_CONFIG names, .meshrc.yaml by default. Accounts and keys of what is served without a
project are kept in .duogate/ in the working directory. Other settings are read from the environment.`,
    )
    .option('--upstream <URL>', "where the API is called; the document's first server otherwise")
    .option('--port <PORT>', 'the port to listen on; 4000 otherwise')
    .option('--auth <required|off>', 'off lets everybody on this machine do everything')
    .option('--open', 'open the service in a browser')
    .action((place: string | undefined, { upstream, port, auth, open = false }: ServeOptions) => {
      if (upstream !== undefined && place === undefined) {
        throw new UsageError('--upstream is for a FILE or a URL: a project says where its APIs are.');
      }
      choose({ kind: 'serve', place, upstream, port, auth: authOf(auth), opensBrowser: open });
    });
}

function authOf(text: string | undefined): 'required' | 'off' | undefined {
  if (text === undefined || text === 'off' || text === 'required') return text;
  throw new UsageError(`--auth is required or off, not ${JSON.stringify(text)}.`);
}

export function addInitCommand(program: Command, choose: Choose): void {
  program
    .command('init [DIR]')
    .summary('makes a project folder')
    .description(
      `Makes a folder that can be served, kept in version control, and run as a container: .meshrc.yaml, the
document with an overlay beside it, .env with a secret of its own, and compose.yaml. Files that are there
are never overwritten.`,
    )
    .option('--document <FILE>', 'the OpenAPI file to begin with; a sample otherwise')
    .action((directory: string | undefined, { document }: { readonly document?: string }) =>
      choose({ kind: 'init', directory: directory ?? '.', document }),
    );
}

export function addDemoCommand(program: Command, choose: Choose): void {
  program
    .command('demo')
    .summary('serves a sample API, to try what there is')
    .description(
      'Serves a sample API as OData and as GraphQL, on this machine only, to an account made for it.',
    )
    .option('--api <posts|library>', 'short texts, or a library with everything that a model can have')
    .action(({ api }: { readonly api?: string }) => choose({ kind: 'demo', api }));
}

export function addGrantCommand(program: Command, choose: Choose): void {
  program
    .command('grant <ROLE> <ENTITY> <RIGHT...>')
    .summary('lets a role do something with an entity')
    .description(
      `Grants rights, written to the overlay beside the document of the API; the document is never changed. ENTITY
is an entity set, a singleton, or '*' for all of them; RIGHT is View, Insert, Update, Delete, or - for none.
What the role had before is replaced. A gateway that runs follows.`,
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
    throw new UsageError(`A right is ${RIGHTS.join(', ')} or -, not ${JSON.stringify(text)}.`);
  });
}

export function addCompletionCommand(program: Command, choose: Choose): void {
  program
    .command('completion <bash|zsh|fish>')
    .summary('prints what makes a shell complete the commands')
    .description("Prints a script for the shell's start-up file, such as: source <(duogate completion bash)")
    .action((shell: string) => {
      if (!['bash', 'zsh', 'fish'].includes(shell)) throw new UsageError('The shell is bash, zsh or fish.');
      choose({ kind: 'completion', shell });
    });
}
