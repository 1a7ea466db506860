import { readdirSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EACH_TRY, postsApi, useGateway } from '../support/running-gateway.ts';

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
  const gateway = useGateway({}, EACH_TRY);

  /** The files of which a request takes functions: who follows it opens these, and no more. */
  async function filesOf(path: string): Promise<number> {
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const { status } = await gateway.fetch(path);
    const { result } = await session.post('Profiler.takePreciseCoverage');
    session.disconnect();
    expect(status).toBe(200);
    return result.filter(
      ({ url, functions }) =>
        url.includes(SOURCE) &&
        functions.some(({ functionName, ranges: [range] }) => functionName !== '' && (range?.count ?? 0) > 0),
    ).length;
  }

  // What runs beside it in the process, such as the watching of files, may add some: then it is measured anew.
  it('takes few files, and fewer when it comes again', { retry: 3 }, async () => {
    gateway.upstream.behave(postsApi);
    const [first, again] = [
      await filesOf('/odata/Post?$filter=UserId%20eq%203'),
      await filesOf('/odata/Post?$filter=UserId%20eq%203'),
    ];
    expect(again).toBeGreaterThan(20);
    expect([first <= 91, again <= 60]).toStrictEqual([true, true]);
  });
});
