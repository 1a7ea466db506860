import type { Command } from 'commander';

/**
 * The words at each position of the command line: `''` for the first, the command's name for the following.
 */
function wordsOf(program: Command): ReadonlyMap<string, readonly string[]> {
  const options = (command: Command): readonly string[] => [
    ...command.options.flatMap(({ long }) => long ?? []),
    '--help',
  ];
  return new Map([
    ['', [...program.commands.map((command) => command.name()), ...options(program)]],
    ...program.commands.map((command): [string, readonly string[]] => [
      command.name(),
      [...command.commands.map((each) => each.name()), ...options(command)],
    ]),
  ]);
}

/** The completion script of a shell for commands and options; other words complete to files. */
export function writeCompletion(program: Command, shell: string): string {
  const words = wordsOf(program);
  return shell === 'fish' ? writeFish(words) : `${shell === 'zsh' ? ZSH : ''}${writeBash(words)}`;
}

const ZSH = 'autoload -U +X bashcompinit && bashcompinit\n';

function writeBash(words: ReadonlyMap<string, readonly string[]>): string {
  const cases = [...words]
    .filter(([name]) => name !== '')
    .map(([name, each]) => `    ${name}) words="${each.join(' ')}" ;;`);
  return `_duogate() {
  local words="${words.get('')?.join(' ')}"
  if [ "$COMP_CWORD" -gt 1 ]; then case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _duogate duogate
`;
}

function writeFish(words: ReadonlyMap<string, readonly string[]>): string {
  const lines = [...words].map(([name, each]) => {
    const where = name === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${name}`;
    return `complete -c duogate -n '${where}' -a '${each.join(' ')}'`;
  });
  return `${lines.join('\n')}\n`;
}
