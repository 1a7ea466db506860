import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, documentOf, serveProject, sourceOf } from '../support/temporary-project.ts';
import { HAS_BROWSER, useBrowser } from './browser.ts';
import { MANY_POSTS, manyPosts } from './many-posts.ts';

const browser = useBrowser();
let upstream: StandInUpstream;
beforeAll(async () => {
  upstream = await startStandInUpstream(manyPosts);
});
afterAll(() => upstream.close());

describe.skipIf(!HAS_BROWSER)('a list whose pages the service cuts short', () => {
  it('follows the links to the next ones, whatever host they name', async () => {
    const project = createProject({
      '.meshrc.yaml': `sources:\n${sourceOf('Posts', './openapi/api.yaml', upstream.url)}`,
      'openapi/api.yaml': documentOf('Post').replace(
        'entitySet: Post',
        'entitySet: Post\n        pageSize: 7',
      ),
    });
    const { gateway } = await serveProject(project, { BASE_URL: 'http://gateway.example' });
    const { page, offences } = await browser.open(gateway.url);
    await page.goto('/app/posts?filter=UserId.eq.2');
    await page.getByRole('status').getByText('25 items').waitFor();
    await page.locator('a.item').nth(13).scrollIntoViewIfNeeded();
    await page.locator('a.item').nth(20).scrollIntoViewIfNeeded();
    await page.locator('a.item').nth(24).waitFor();
    await expect
      .poll(() => page.locator('.item-title').allTextContents())
      .toStrictEqual(MANY_POSTS.filter(({ userId }) => userId === 2).map(({ title }) => title));
    expect(offences).toStrictEqual([]);
  });
});
