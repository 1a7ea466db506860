import { describe, expect, it } from 'vitest';
import { USAGE } from '../../src/cli/command-options.ts';
import { outcome } from './command.ts';

describe('duogate', () => {
  it.each([['--help'], ['-h']])('tells with %s how it is used', async (option) => {
    expect(await outcome([option])).toStrictEqual({ code: 0, stdout: USAGE, stderr: '' });
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

  it.each([
    [[], 'The COMMAND is missing.', 'COMMAND'],
    [
      ['modell'],
      'There is no command "modell": known are serve, model, validate, suggest, grants, schema, api, try, user and key.',
      'COMMAND',
    ],
    [
      ['__proto__'],
      'There is no command "__proto__": known are serve, model, validate, suggest, grants, schema, api, try, user and key.',
      'COMMAND',
    ],
    [['serve', 'x'], "Unexpected argument 'x'.", 'serve'],
    [['serve', '--port', '1'], "Unknown option '--port'.", 'serve'],
    [['model'], 'The FILE is missing.', 'model FILE... [--overlay FILE] [--metadata [xml|json]] [--json]'],
    [['model', '--project', 'a', 'b'], 'The project names its files: "b" is too much.', 'model'],
    [['model', '--project'], "Option '--project <value>' argument missing.", 'model'],
    [['model', 'a', '--xml'], "Unknown option '--xml'.", 'model'],
    [['model', 'a', '--json=1'], "Option '--json' does not take an argument.", 'model'],
    [['model', 'a', '--metadata=yaml'], 'The metadata is xml or json, not "yaml".', 'model'],
    [
      ['model', 'a', '--metadata', '--json'],
      '--json is for the report: the metadata as JSON is --metadata json.',
      'model',
    ],
  ])('refuses %j', async (args, message, usage) => {
    const { code, stdout, stderr } = await outcome(args);
    expect([code, stdout]).toStrictEqual([2, '']);
    expect(stderr.slice(0, stderr.indexOf('Usage:'))).toBe(`${message}\n\n`);
    expect(stderr).toContain(`Usage: duogate ${usage}`);
  });
});
