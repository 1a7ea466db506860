import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../src/demo/run-demo.ts';
import { outcome } from '../cli/command.ts';
import { shellLines, wordsOf } from './shell-lines.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8');
const LINES = shellLines('docs/tutorial.md');

/** Commands that need a network; the package is installed in test/package. */
const FROM_THE_NETWORK = [
  'curl -fsSL -o trains.yaml https://raw.githubusercontent.com/bump-sh-examples/train-travel-api/main/openapi.yaml',
];

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'duogate-tutorial-'));
  onTestFinished(() => rmSync(directory, { recursive: true, maxRetries: 3 }));
  cpSync(join(import.meta.dirname, 'trains.yaml'), join(directory, 'trains.yaml'));
});

function line(beginning: string): string {
  return LINES.find((each) => each.startsWith(beginning)) ?? '';
}

/** Runs a command of the page in the folder; files by their whole path, since the folder is not the test's own. */
function duogate(command: string): ReturnType<typeof outcome> {
  const words = wordsOf(command).slice(1);
  const isPath = (word: string): boolean => word.endsWith('.yaml') || existsSync(join(directory, word));
  return outcome(
    words.map((word) => (isPath(word) ? join(directory, word) : word)),
    {},
    '',
    directory,
  );
}

it("the tutorial leads to rows of one's own API", async () => {
  expect(LINES.slice(0, 1)).toStrictEqual(FROM_THE_NETWORK);
  expect((await duogate(line('duogate validate'))).stdout).toContain('Tables: 3 of 3 lists');

  const port = await freePort(14_001);
  const [, program = ''] = /```js\n(.*?)```/s.exec(PAGE) ?? [];
  writeFileSync(join(directory, 'api.mjs'), program.replace('4001', String(port)));
  expect(LINES).toContain('node api.mjs');
  const api = spawn(process.execPath, ['api.mjs'], { cwd: directory, stdio: 'ignore' });
  onTestFinished(() => {
    api.kill();
  });

  const serve = wordsOf(line('duogate serve trains.yaml')).slice(1);
  const main = join(ROOT, 'src/cli/main.ts');
  const served = spawn(process.execPath, [main, ...serve.map((word) => word.replace('4001', String(port)))], {
    cwd: directory,
    env: { PATH: process.env['PATH'], PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    let output = '';
    for await (const chunk of served.stdout.iterator({ destroyOnReturn: false })) {
      output += String(chunk);
      if (/curl .*\n/.test(output)) break;
    }
    const [, url = ''] = /at (http\S+)\/\n/.exec(output) ?? [];
    const [key = ''] = /duo_\S+/.exec(output) ?? [];
    for (const reported of [
      '  Tables    Station, Booking, Trips\n',
      "  Access    nobody can use them yet: duogate grant User '*' View\n",
    ]) {
      expect(PAGE).toContain(reported);
      expect(output).toContain(reported);
    }

    expect((await duogate(line('duogate grant'))).stdout).toContain('User may View Station\n');
    expect(existsSync(join(directory, 'trains.overlay.yaml'))).toBe(true);
    const curl = async (command: string): Promise<unknown> => {
      const here = command.replace('http://127.0.0.1:4000', url).replace('duo_…', key);
      const { stdout } = await run('bash', ['-c', here.replace(/^curl/, 'curl -sS')]);
      return JSON.parse(stdout);
    };
    const [list = '', groups = '', graphql = ''] = LINES.filter((each) => each.startsWith('curl -H'));
    await expect
      .poll(() => curl(list), { timeout: 30_000, interval: 250 })
      .toMatchObject({
        value: [{ Name: 'Berlin Hauptbahnhof', Timezone: 'Europe/Berlin' }, { Name: 'Lyon Part-Dieu' }],
      });
    expect(await curl(groups)).toMatchObject({
      value: [
        { CountryCode: 'DE', Stations: 1 },
        { CountryCode: 'FR', Stations: 2 },
      ],
    });
    expect(await curl(graphql)).toStrictEqual({
      data: { stations: [{ name: 'Paris Gare du Nord', countryCode: 'FR' }] },
    });
  } finally {
    served.kill('SIGKILL');
  }

  expect((await duogate(line('duogate init'))).code).toBe(0);
  expect((await duogate(line('duogate serve trains'))).code).toBe(0);
});
