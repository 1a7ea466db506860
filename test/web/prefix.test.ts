import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCESS, PASSWORD } from '../auth/account-client.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, documentOf, serveProject, sourceOf } from '../support/temporary-project.ts';
import { axeFindings, HAS_BROWSER, useBrowser, type WatchedPage } from './browser.ts';
import { manyPosts } from './many-posts.ts';
import { startPrefixProxy } from './prefix-proxy.ts';

const browser = useBrowser();
let upstream: StandInUpstream;
beforeAll(async () => {
  upstream = await startStandInUpstream(manyPosts);
});
afterAll(() => upstream.close());

interface Entered extends WatchedPage {
  /** The public URL. */
  readonly url: string;
}

/** A page of the gateway where a proxy serves it below a path. A request beside that path is an offence. */
async function enter(path: string, environment: Readonly<Record<string, string>> = {}): Promise<Entered> {
  const proxy = await startPrefixProxy('/some/prefix');
  const project = createProject({
    '.meshrc.yaml': `sources:\n${sourceOf('Posts', './openapi/posts.yaml', upstream.url)}`,
    'openapi/posts.yaml': documentOf('Post'),
  });
  const { gateway } = await serveProject(project, { ...environment, BASE_URL: proxy.url });
  proxy.lead(gateway.url);
  const watched = await browser.open(proxy.url);
  await watched.page.goto(`${proxy.url}${path}`);
  return { ...watched, url: proxy.url };
}

async function signUp(page: Page): Promise<void> {
  await page.getByLabel('Name').fill('Ada Reader');
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign up' }).click();
}

describe.skipIf(!HAS_BROWSER)('behind a path of the public URL', () => {
  it('people sign up, list, open, add and go back', async () => {
    const { page, url, offences } = await enter('/', ACCESS);
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await page.getByRole('link', { name: 'Sign up' }).click();
    await signUp(page);
    await page.getByRole('link', { name: 'Open Posts' }).click();
    await page.waitForURL(`${url}/app/posts`);
    await page.locator('a.item').nth(29).scrollIntoViewIfNeeded();
    await page.locator('a.item').nth(59).waitFor();
    await page.locator('a.item').first().click();
    await page.waitForURL(`${url}/app/posts/post-by-id?postId=1`);
    await page.reload();
    await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('amber no. 1');
    await page.getByRole('link', { name: 'Posts', exact: true }).last().click();
    await page.getByRole('link', { name: 'Add Post' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('From afar');
    await page.getByRole('button', { name: 'Add post' }).click();
    await page.getByRole('link', { name: 'Done' }).click();
    await page.waitForURL(`${url}/app/posts`);
    expect(offences).toStrictEqual([]);
  });

  it('GraphiQL asks there, as the user who has signed in', async () => {
    const { page, url, offences } = await enter('/app/sign-up', ACCESS);
    await signUp(page);
    await page.getByRole('link', { name: 'Ada Reader' }).waitFor();
    await page.goto(`${url}/graphql?query=${encodeURIComponent('{ post(id: "3") { title } }')}`);
    await page.getByRole('button', { name: /Execute query/ }).click();
    await page.locator('.result-window').getByText('cedar no. 3').waitFor();
    expect(offences).toStrictEqual([]);
  });

  it('the console tries operations', async () => {
    const { page, offences } = await enter('/app/apis/Posts/console');
    await page
      .getByRole('button', { name: /get \/posts$/i })
      .first()
      .click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.getByText(/^Answered with 200 in/).waitFor();
    expect(upstream.requests.at(-1)?.target).toBe('/posts');
    expect(await axeFindings(page)).toStrictEqual([]);
    expect(offences).toStrictEqual([]);
  });
});
