import type { Command } from 'commander';
import { createProgram } from './program.ts';

const INTRODUCTION = `# Commands

The output of \`duogate --help\` and \`duogate help COMMAND\`, written by \`node src/cli/write-reference.ts\`. In a clone of the repository,
use \`npm run duogate --\` instead of \`duogate\`. Every command has \`--help\`. Unless stated otherwise, a command exits with 0 on
success, with 1 on failure, and with 2 if the command line is invalid.`;

const LAST_WORD = /^Exit codes: .*$/m;

/** The page of all commands in Markdown: what each of them says of itself. */
export function commandReference(): string {
  const { program, written } = createProgram(() => undefined, false);
  const exitCodesOf = (command: Command): string => {
    written.out = '';
    command.outputHelp();
    return LAST_WORD.exec(written.out)?.[0] ?? '';
  };
  const sections = commandsBelow(program).flatMap((command) => [
    headingOf(command),
    `\`${command.createHelp().commandUsage(command)}\``,
    oneLine(command.description()),
    optionsOf(command),
    exitCodesOf(command),
  ]);
  return `${[INTRODUCTION, ...sections].filter((part) => part !== '').join('\n\n')}\n`;
}

/** All commands below one, those that it groups behind it. */
function commandsBelow(parent: Command): readonly Command[] {
  return parent.commands
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => [command, ...commandsBelow(command)]);
}

function headingOf(command: Command): string {
  const { parent } = command;
  const isBelowAnother = parent !== null && parent.parent !== null;
  return isBelowAnother ? `### ${parent.name()} ${command.name()}` : `## ${command.name()}`;
}

function optionsOf(command: Command): string {
  const help = command.createHelp();
  const rows = help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => `| \`${cell(help.optionTerm(option))}\` | ${cell(help.optionDescription(option))} |`);
  return rows.length === 0 ? '' : ['| Option | |', '|---|---|', ...rows].join('\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[*_<]/g, '\\$&');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
