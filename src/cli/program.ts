import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { Command } from 'commander';
import {
  type AccountCommand,
  addAuditCommand,
  addKeyCommands,
  addSecretCommands,
  addUserCommands,
} from './account-options.ts';
import {
  type ApiCommand,
  addApiCommands,
  addSuggestCommand,
  addTryCommand,
  addValidateCommand,
} from './api-options.ts';
import {
  addExplainCommand,
  addGrantsCommand,
  addLearnCommand,
  addModelCommand,
  addProbeCommand,
  addSchemaCommand,
  type ModelCommand,
} from './model-options.ts';
import {
  addCompletionCommand,
  addDemoCommand,
  addGrantCommand,
  addInitCommand,
  addServeCommand,
  type ServeCommand,
} from './serve-options.ts';

type Chosen = ServeCommand | ModelCommand | AccountCommand | ApiCommand;

/** The command line parser. */
export interface Program {
  readonly program: Command;
  /** Collected output: help, version, errors. */
  readonly written: { out: string; err: string };
  /** The command that is being parsed. */
  readonly at: () => Command;
}

/**
 * The description of a command in a list: its summary, or the first sentence of its description in the same
 * style.
 */
function subcommandDescription(command: Command): string {
  const [first = ''] = /^.*?(?=\.(?:\s|$)|$)/s.exec(command.summary() || command.description()) ?? [];
  return first.charAt(0).toLowerCase() + first.slice(1);
}

/** Registers the commands in the order of the help. */
export function createProgram(choose: (command: Chosen) => void, isColoured: boolean): Program {
  const written = { out: '', err: '' };
  const program = new Command('duogate');
  let at = program;
  program
    .description(
      'Serves the REST APIs behind OpenAPI files as OData 4.01 and GraphQL, storing none of their data.',
    )
    .version(packageVersion(), '-v, --version', 'show the version')
    .helpOption('-h, --help', 'show this text, or the help of a command')
    .exitOverride()
    .showHelpAfterError()
    .configureHelp({
      subcommandDescription,
      ...(isColoured ? { styleTitle: (title) => styleText('bold', title) } : {}),
    })
    .configureOutput({
      writeOut: (text) => {
        written.out += text;
      },
      writeErr: (text) => {
        written.err += text;
      },
      outputError: (text, write) => write(sentence(text)),
      getOutHasColors: () => isColoured,
      getErrHasColors: () => isColoured,
      getOutHelpWidth: () => 112,
      getErrHelpWidth: () => 112,
    })
    .hook('preAction', (_, action) => {
      at = action;
    });
  addServeCommand(program, choose);
  addInitCommand(program, choose);
  addDemoCommand(program, choose);
  addModelCommand(program, choose);
  addValidateCommand(program, choose);
  addSuggestCommand(program, choose);
  addGrantsCommand(program, choose);
  addGrantCommand(program, choose);
  addSchemaCommand(program, choose);
  addExplainCommand(program, choose);
  addProbeCommand(program, choose);
  addLearnCommand(program, choose);
  addApiCommands(program, choose);
  addTryCommand(program, choose);
  addUserCommands(program, choose);
  addKeyCommands(program, choose);
  addAuditCommand(program, choose);
  addSecretCommands(program, choose);
  addCompletionCommand(program, choose);
  return { program, written, at: () => at };
}

/** Adapts messages of the parser to the gateway's style. */
function sentence(text: string): string {
  const [first = '', ...more] = text
    .replace(/^error: /, '')
    .trimEnd()
    .split('\n');
  const end = first.endsWith('.') ? '' : '.';
  return `${[`${first.charAt(0).toUpperCase()}${first.slice(1)}${end}`, ...more].join('\n')}\n`;
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  return String(version);
}
