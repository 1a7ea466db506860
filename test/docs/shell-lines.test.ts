import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCESS, signUp } from '../auth/account-client.ts';
import { outcome } from '../cli/command.ts';
import { postsApi, useGateway } from '../support/running-gateway.ts';
import { PAGES, shellLines, wordsOf } from './shell-lines.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

/** Commands that need a network, a container or a process of their own → the test that does the nearest. */
const HELD_ELSEWHERE: Readonly<Record<string, string>> = {
  'npm ci && npm test': 'test/package/package.test.ts',
  'npm ci && npm pack && npm install -g ./duogate-0.1.0.tgz': 'test/package/package.test.ts',
  'npm install -g duogate@latest': 'test/package/package.test.ts',
  'duogate serve openapi.yaml': 'test/package/package.test.ts',
  'npm ci && npm run demo': 'test/demo/demo.test.ts',
  'docker build -f docker/Dockerfile -t duogate .': 'test/package/image.test.ts',
  'docker run --init -p 127.0.0.1:4000:4000 -v "$PWD/trains:/project" --env-file trains/.env -e MESH_CONFIG=/project/.meshrc.yaml -e DATABASE_URL=/project/data/accounts.sqlite duogate':
    'test/package/image.test.ts',
  "curl -H 'Authorization: Bearer …' https://gateway.example.com/api/auth/upstream-keys":
    'test/mesh/upstream-credentials/per-user.test.ts',
  "curl -H 'Authorization: Bearer …' -X PUT -H 'Content-Type: application/json' -d '{\"key\":\"…\"}' https://gateway.example.com/api/auth/upstream-keys/Orders":
    'test/mesh/upstream-credentials/per-user.test.ts',
  "curl -H 'Authorization: Bearer …' -X DELETE https://gateway.example.com/api/auth/upstream-keys/Orders":
    'test/mesh/upstream-credentials/per-user.test.ts',
};

const LINES = PAGES.filter((page) => page !== 'docs/tutorial.md').flatMap(shellLines);
const RUN_HERE = LINES.filter((line) => !(line in HELD_ELSEWHERE));

const gateway = useGateway(ACCESS);
let directory: string;
let session: string;

beforeAll(async () => {
  gateway.upstream.behave(postsApi);
  directory = mkdtempSync(join(tmpdir(), 'duogate-pages-'));
  for (const each of ['openapi', 'examples', '.meshrc.yaml'])
    cpSync(join(ROOT, each), join(directory, each), { recursive: true });
  cpSync(join(ROOT, 'openapi/posts.yaml'), join(directory, 'openapi.yaml'));
  await duogate('user add anna@example.com');
  ({ session } = await signUp(gateway, 'ben@example.com'));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Files are those of a folder that has what the pages speak of. */
function duogate(line: string): ReturnType<typeof outcome> {
  const words = wordsOf(line).map((word) => (/\.(?:yaml|json)$/.test(word) ? join(directory, word) : word));
  const environment = {
    MESH_CONFIG: join(directory, '.meshrc.yaml'),
    DATABASE_URL: join(directory, 'accounts.sqlite'),
  };
  return outcome(words, environment, '', directory);
}

/** `COMMAND > FILE` writes it, `COMMAND | diff FILE -` holds it against what was written. */
async function runDuogate(line: string): Promise<void> {
  const [, command = '', written, compared] = /^(.*?)(?: > (\S+)| \| diff (\S+) -)?$/.exec(line) ?? [];
  const { code, stdout, stderr } = await duogate(command);
  expect([code, stderr]).toStrictEqual([0, '']);
  if (written !== undefined) writeFileSync(join(directory, written), stdout);
  if (compared !== undefined) expect(stdout).toBe(readFileSync(join(directory, compared), 'utf8'));
}

async function runCurl(line: string): Promise<void> {
  const here = line.replace('http://127.0.0.1:4000', gateway.url).replace('Bearer …', `Bearer ${session}`);
  const { stdout } = await run('bash', ['-c', here.replace(/^curl/, 'curl -sSf')]);
  expect(stdout).toMatch(/"value":\[\{|"@odata.context"|"data":\{"posts":\[\{/);
}

// A line finds what those before it on its page have made.
describe('the pages', { shuffle: false }, () => {
  it('have commands, and those that are held elsewhere are there', () => {
    expect(RUN_HERE.length).toBeGreaterThan(12);
    expect(Object.keys(HELD_ELSEWHERE).filter((line) => !LINES.includes(line))).toStrictEqual([]);
    expect(Object.values(HELD_ELSEWHERE).filter((file) => !existsSync(join(ROOT, file)))).toStrictEqual([]);
  });

  it.each(RUN_HERE)('rightly say: %s', async (line) => {
    const [, command] = /^(?:npm run duogate -- |duogate )(.*)$/.exec(line) ?? [];
    if (command !== undefined) await runDuogate(command);
    else if (line.startsWith('curl ')) await runCurl(line);
    else expect.fail('It is neither run nor held elsewhere.');
  });
});
