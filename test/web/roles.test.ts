import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCESS, PASSWORD } from '../auth/account-client.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, documentOf, serveProject, sourceOf } from '../support/temporary-project.ts';
import { axeFindings, HAS_BROWSER, useBrowser } from './browser.ts';
import { manyPosts } from './many-posts.ts';

const browser = useBrowser();
let upstream: StandInUpstream;
beforeAll(async () => {
  upstream = await startStandInUpstream(manyPosts);
});
afterAll(() => upstream.close());

/** The posts document with other grants. */
function granting(grants: string): string {
  return documentOf('Post').replace('User: [View, Insert]', grants);
}

/** A page for a user with the role User, with the given grants. */
async function enter(grants: string, path: string) {
  const project = createProject({
    '.meshrc.yaml': `sources:\n${sourceOf('Posts', './openapi/api.yaml', upstream.url)}`,
    'openapi/api.yaml': granting(grants),
  });
  const { gateway, entries } = await serveProject(project, ACCESS);
  const { page } = await browser.open(gateway.url);
  await signUp(page, path);
  return {
    page,
    /** Resolves when other grants are served. */
    async grant(others: string) {
      project.write('openapi/api.yaml', granting(others));
      const isServed = () => entries().some(({ msg }) => msg === 'serving the changed project');
      await expect.poll(isServed).toBe(true);
    },
  };
}

async function signUp(page: Page, path: string): Promise<void> {
  await page.goto(`/app/sign-up?return=${encodeURIComponent(path)}`);
  await page.getByLabel('Name').fill('Ada Reader');
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('link', { name: 'Ada Reader' }).waitFor();
}

describe.skipIf(!HAS_BROWSER)('whose role may do nothing', () => {
  it('is told so, and who they are', async () => {
    const { page } = await enter('Editor: [View, Insert]', '/app/posts');
    const alert = page.getByRole('alert');
    await alert.getByRole('heading', { name: 'Post is not available to you' }).waitFor();
    await alert.getByText('You are signed in as ada@example.com').waitFor();
    expect(await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').count()).toBe(0);
    await page.getByRole('link', { name: 'Duogate' }).click();
    await page.getByText('Your role has no access to any of them.').waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)('whose role may only view', () => {
  it('sees no way to create', async () => {
    const { page } = await enter('User: [View]', '/app/posts');
    await page.locator('a.item').first().waitFor();
    expect(await page.getByRole('link', { name: 'Add Post' }).count()).toBe(0);
    await page.goto('/app/posts/add-post');
    await page.getByRole('heading', { name: 'You cannot create a Post' }).waitFor();
    await page.goto('/');
    await page.getByRole('link', { name: 'Open Posts' }).waitFor();
    await expect.poll(() => page.locator('.marks li').allTextContents()).toStrictEqual(['View']);
  });
});

describe.skipIf(!HAS_BROWSER)('whose rights are withdrawn meanwhile', () => {
  it('is told in the form what is missing', async () => {
    const { page, grant } = await enter('User: [View, Insert]', '/app/posts/add-post');
    await page.getByLabel('Title').fill('Too late');
    await grant('User: [View]');
    await page.getByRole('button', { name: 'Add post' }).click();
    await page.getByRole('alert').getByText('Your role needs the permission Insert on Post.').waitFor();
    await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('Too late');
  });

  it('is told in the list what is missing', async () => {
    const { page, grant } = await enter('User: [View, Insert]', '/app/posts');
    await page.locator('a.item').first().waitFor();
    await grant('Editor: [View]');
    await page.getByRole('searchbox').fill('cedar');
    await page.getByRole('heading', { name: 'You do not have access to this' }).waitFor();
    expect(await page.locator('a.item').count()).toBe(0);
  });
});

describe.skipIf(!HAS_BROWSER)('who is no admin', () => {
  it('has no link to the APIs, and is told what is missing', async () => {
    const { page } = await enter('User: [View]', '/app/apis');
    const alert = page.getByRole('alert');
    await alert.getByRole('heading', { name: 'You do not have access to this' }).waitFor();
    await alert.getByText('The API registry needs the role Admin.').waitFor();
    expect(
      await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').allTextContents(),
    ).toStrictEqual(['Posts']);
    expect(await axeFindings(page)).toStrictEqual([]);
  });
});
