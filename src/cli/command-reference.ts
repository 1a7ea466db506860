import type { Command } from 'commander';
import { SETTING_GROUPS, type Setting } from '../config/settings.ts';
import { createProgram } from './program.ts';

const INTRODUCTION = `# Commands

The output of \`duogate --help\` and \`duogate help COMMAND\`, written by \`node src/cli/write-reference.ts\`. In a clone of the repository,
use \`npm run duogate --\` instead of \`duogate\`. Every command has \`--help\`. Unless stated otherwise, a command exits with 0 on
success, with 1 on failure, and with 2 if the command line is invalid.`;

const LAST_WORD = /^Exit codes: .*$/m;

/** The Markdown page of all commands, from their descriptions. */
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

/** All commands below one, each group followed by its commands. */
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

const REGION = /<!-- settings: (\w+) -->\n[\s\S]*?<!-- end -->/g;

/** A page with updated tables of settings, between `<!-- settings: GROUP -->` and `<!-- end -->`. */
export function withSettings(page: string): string {
  return page.replaceAll(
    REGION,
    (_, group: string) => `<!-- settings: ${group} -->\n${tableOf(group)}\n<!-- end -->`,
  );
}

/** The setting groups on a page. */
export function settingGroupsOn(page: string): readonly string[] {
  return [...page.matchAll(REGION)].map(([, group = '']) => group);
}

function tableOf(group: string): string {
  const settings: readonly (readonly [string, Setting])[] =
    Object.entries(SETTING_GROUPS)
      .find(([name]) => name === group)
      ?.flatMap((part) => (typeof part === 'string' ? [] : Object.entries<Setting>(part))) ?? [];
  const rows = settings.map(
    ([name, setting]) =>
      `| \`${name}\` | ${valuesOf(setting)} | ${defaultOf(setting)} | ${setting.meaning} |`,
  );
  return ['', '| Variable | Value | Default | |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function valuesOf(setting: Setting): string {
  if (setting.kind === 'number') return `${setting.least} to ${setting.most}`;
  if (setting.kind === 'choice') return setting.choices.map((choice) => `\`${choice}\``).join(', ');
  return setting.form;
}

function defaultOf(setting: Setting): string {
  if (setting.default !== undefined) return setting.default;
  if (setting.fallback === undefined) return 'none';
  return typeof setting.fallback === 'number' ? String(setting.fallback) : `\`${setting.fallback}\``;
}
