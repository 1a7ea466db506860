import { describe, expect, it } from 'vitest';
import { outcome } from './command.ts';

describe('duogate', () => {
  it.each([['--help'], ['-h']])('tells with %s how it is used', async (option) => {
    const { code, stdout, stderr } = await outcome([option]);
    expect([code, stderr]).toStrictEqual([0, '']);
    expect(stdout).toMatch(/^Usage: duogate \[options\] \[command\]\n/);
  });

  it.each([['serve'], ['model'], ['grants'], ['user'], ['key']])('tells how %s is used', async (name) => {
    const { code, stdout, stderr } = await outcome([name, '--help']);
    expect([code, stdout.split('\n')[0]?.split(' ').slice(0, 3), stderr]).toStrictEqual([
      0,
      ['Usage:', 'duogate', name],
      '',
    ]);
  });

  it('serves', async () => {
    expect(await outcome(['serve'])).toStrictEqual({ code: 0, stdout: 'serving\n', stderr: '' });
  });

  it('tells its version', async () => {
    expect(await outcome(['--version'])).toStrictEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  });

  it.each([
    ['bash', 'complete -o default -F _duogate duogate'],
    ['zsh', 'bashcompinit'],
    [
      'fish',
      "complete -c duogate -n '__fish_seen_subcommand_from user' -a 'add invite invitations withdraw list",
    ],
  ])('completes commands in %s', async (shell, line) => {
    const { code, stdout } = await outcome(['completion', shell]);
    expect([code, stdout]).toStrictEqual([0, expect.stringContaining(line)]);
  });

  it('names no command where there is none', async () => {
    const { code, stderr } = await outcome([]);
    expect([code, stderr.split('\n')[0]]).toStrictEqual([2, 'Usage: duogate [options] [command]']);
  });

  it.each([
    [['modell'], "Unknown command 'modell'.\n(Did you mean model?)", '[options] [command]'],
    [['__proto__'], "Unknown command '__proto__'.", '[options] [command]'],
    [['serve', 'x', 'y'], "Too many arguments for 'serve'. Expected 1 argument but got 2.", 'serve'],
    [['serve', '--auth', 'on'], '--auth must be required or off, not "on".', 'serve'],
    [
      ['serve', '--upstream', 'http://localhost'],
      '--upstream needs a FILE or a URL: a project says where its APIs are.',
      'serve',
    ],
    [
      ['grant', 'User', 'Post', 'See'],
      'RIGHT must be View, Insert, Update, Delete or -, not "See".',
      'grant',
    ],
    [['audit', '--last', '0'], 'NUMBER must be a whole number from 1 to 999999, not "0".', 'audit'],
    [
      ['key', 'add', 'ada@example.com', '--name', ' '],
      'A NAME has 1 to 100 printable characters.',
      'key add',
    ],
    [
      ['try', 'Posts', 'GET', '/posts', '--header', 'Accept'],
      `A header must be 'NAME: VALUE', not "Accept".`,
      'try',
    ],
    [['demo', '--api', 'crm'], '--api must be posts or library, not "crm".', 'demo'],
    [['completion', 'dos'], 'The shell must be bash, zsh or fish.', 'completion'],
    [['model', '--overlay', 'x'], '--overlay needs exactly one FILE.', 'model [options] [FILE...]'],
    [
      ['model', '--project', 'a', 'b'],
      'A project names its own files, so "b" cannot be given as well.',
      'model',
    ],
    [['model', '--project'], "Option '--project <FILE>' argument missing.", 'model'],
    [['model', 'a', '--xml'], "Unknown option '--xml'.", 'model'],
    [['model', 'a', '--metadata=yaml'], '--metadata must be xml or json, not "yaml".', 'model'],
    [
      ['model', 'a', '--metadata', '--json'],
      '--json is for the report; for metadata as JSON, use --metadata json.',
      'model',
    ],
  ])('refuses %j', async (args, message, usage) => {
    const { code, stdout, stderr } = await outcome(args);
    expect([code, stdout]).toStrictEqual([2, '']);
    expect(stderr.slice(0, stderr.indexOf('Usage:'))).toBe(`${message}\n\n`);
    expect(stderr).toContain(`Usage: duogate ${usage}`);
  });
});
