import { readdirSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { postsApi, useGateway } from '../support/running-gateway.ts';

const ROOT = join(import.meta.dirname, '../..');
const SOURCE = join(ROOT, 'src/');

// That the walks name what is there, links.test.ts sees to.
describe('docs/architecture.md', () => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

  it('has every layer in its picture', () => {
    const [, picture = ''] = /```mermaid\n(.*?)```/s.exec(page) ?? [];
    const folders = readdirSync(SOURCE, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const missing = folders
      .map(({ name }) => name)
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(picture));
    expect(missing).toStrictEqual([]);
  });
});

describe('a read', () => {
  const gateway = useGateway();

  /** The files of which it takes functions, for the first time and again: who follows it opens these, and no more. */
  it.each([
    ['for the first time', 66],
    ['again', 40],
  ])('takes few files, %s', async (_, most) => {
    gateway.upstream.behave(postsApi);
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const { status } = await gateway.fetch('/odata/Post?$filter=UserId%20eq%203');
    const { result } = await session.post('Profiler.takePreciseCoverage');
    session.disconnect();
    const files = result.filter(
      ({ url, functions }) =>
        url.includes(SOURCE) &&
        functions.some(({ functionName, ranges: [range] }) => functionName !== '' && (range?.count ?? 0) > 0),
    );
    expect(status).toBe(200);
    expect(files.length).toBeGreaterThan(20);
    expect(files.length).toBeLessThanOrEqual(most);
  });
});
