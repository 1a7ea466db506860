import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from '../auth/account-client.ts';
import { createProjectAccounts } from '../support/accounts-project.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, documentOf, serveProject, sourceOf } from '../support/temporary-project.ts';
import { axeFindings, HAS_BROWSER, useBrowser } from './browser.ts';

const browser = useBrowser();
let upstream: StandInUpstream;
beforeAll(async () => {
  upstream = await startStandInUpstream((_, reply) => reply.json([{ id: 1, title: 'A note' }]));
});
afterAll(() => upstream.close());

const GRANTS = '        grants:\n          User: [View, Insert]\n';

/** The page of an administrator; notes are registered, and grant nothing. */
async function enter(path: string) {
  const project = createProject({
    '.meshrc.yaml': `sources:\n${sourceOf('Posts', './openapi/posts.yaml', upstream.url)}`,
    'openapi/posts.yaml': documentOf('Post'),
    'openapi/Notes.yaml': documentOf('Note')
      .replace(GRANTS, '')
      .replace('https://jsonplaceholder.typicode.com', upstream.url),
  });
  const environment = await createProjectAccounts(project, { 'ada@example.com': ['User', 'Admin'] });
  const { gateway } = await serveProject(project, { ...environment, REGISTRY_HOSTS: '127.0.0.1' });
  const { page, offences } = await browser.open(gateway.url);
  await page.goto(`/app/sign-in?return=${encodeURIComponent(path)}`);
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  return { page, offences, project };
}

describe.skipIf(!HAS_BROWSER)('who may use an API', () => {
  it('is asked where it has been added to the project, and holds at once', async () => {
    const { page, offences, project } = await enter('/app/apis/Notes');
    await page.getByRole('button', { name: 'Add to project' }).click();
    await page.getByRole('heading', { name: 'Who can use it?' }).waitFor();
    await page.getByText('Live, nobody can use it yet').waitFor();
    const box = (name: string) => page.getByRole('checkbox', { name, exact: true });
    await expect.poll(() => box('User may View Note').isChecked()).toBe(true);
    await expect.poll(() => box('User may Insert Note').isChecked()).toBe(false);
    expect(await axeFindings(page)).toStrictEqual([]);
    await box('User may Insert Note').check();
    await page.getByRole('textbox', { name: 'Another role' }).fill('Clerk');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await box('Clerk may View Note').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. It takes effect immediately.').waitFor();
    await expect.poll(() => page.getByText('Live', { exact: true }).count()).toBe(1);
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    const overlay = readFileSync(project.path('openapi/Notes.overlay.yaml'), 'utf8');
    expect(overlay.slice(overlay.lastIndexOf('grants:'))).toBe(
      `grants:
          User:
            - View
            - Insert
          Admin:
            - View
            - Insert
          Clerk:
            - View
`,
    );
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: 'Note', exact: true }).click();
    await page.getByRole('link', { name: 'A note' }).waitFor();
    expect(offences).toStrictEqual([]);
  });
});

describe.skipIf(!HAS_BROWSER)('a file that takes something from those who use the API', () => {
  it('is stored when what it takes has been shown and is meant', async () => {
    const { page, offences, project } = await enter('/app/apis/Posts/settings');
    const document = documentOf('Post').replace('User: [View, Insert]', 'User: [View]');
    await page
      .getByLabel('Replace the file')
      .setInputFiles({ name: 'p.yaml', mimeType: 'application/yaml', buffer: Buffer.from(document) });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('User may no longer Insert Post.').waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(1);
    expect(await axeFindings(page)).toStrictEqual([]);
    expect(readFileSync(project.path('openapi/posts.yaml'), 'utf8')).toBe(documentOf('Post'));
    await page.getByRole('button', { name: 'Change it anyway' }).click();
    await page.getByText('Saved.').waitFor();
    expect(readFileSync(project.path('openapi/posts.yaml'), 'utf8')).toBe(document);
    expect(offences).toStrictEqual([]);
  });
});
