import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CAN_MOUNT, mountSmallDisk } from '../support/small-disk.ts';
import { createProject, documentOf } from '../support/temporary-project.ts';
import { outcome } from './command.ts';

const FILLER = 'filler';
const PAGE = 4096;

/** A folder whose disk has room for some files, which take a page each. */
function folderWithPages(pages: number) {
  const { directory } = createProject({});
  mountSmallDisk(directory);
  writeFileSync(join(directory, FILLER), Buffer.alloc(64 * 1024 - pages * PAGE));
  return {
    directory,
    makeRoom: () => rmSync(join(directory, FILLER)),
    emptyFiles: () =>
      readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => {
        const found = statSync(join(directory, name));
        return found.isFile() && found.size === 0;
      }),
  };
}

describe.skipIf(!CAN_MOUNT)('a disk without room', () => {
  it.each([0, 1, 2, 3])('keeps duogate init from making a project; with %d files, too', async (pages) => {
    const { directory, makeRoom, emptyFiles } = folderWithPages(pages);
    const { code, stderr } = await outcome(['init', 'shop'], {}, '', directory);
    expect([code, stderr]).toStrictEqual([
      1,
      expect.stringMatching(/^.* cannot be written: no space left on device\.\n$/),
    ]);
    expect(emptyFiles()).toStrictEqual([]);
    makeRoom();
    expect((await outcome(['init', 'shop'], {}, '', directory)).code).toBe(0);
    const document = readFileSync(join(directory, 'shop/openapi/posts.yaml'), 'utf8');
    expect(document).toBe(readFileSync('openapi/posts.yaml', 'utf8'));
    expect((await outcome(['api', 'list'], {}, '', join(directory, 'shop'))).code).toBe(0);
  });

  it.each([0, 1, 2])('keeps duogate serve FILE from serving it; with %d files, too', async (pages) => {
    const file = createProject({ 'posts.yaml': documentOf('Post') }).path('posts.yaml');
    const { directory, makeRoom, emptyFiles } = folderWithPages(pages);
    const serve = () => outcome(['serve', file, '--auth', 'off'], {}, '', directory);
    const { code, stderr } = await serve();
    expect([code, stderr]).toStrictEqual([
      1,
      expect.stringMatching(/^.* cannot be written: no space left on device\.\n$/),
    ]);
    expect(emptyFiles()).toStrictEqual([]);
    makeRoom();
    expect((await serve()).code).toBe(0);
  });
});
