import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from '../auth/account-client.ts';
import { createProjectAccounts } from '../support/accounts-project.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { createProject, documentOf, serveProject, sourceOf } from '../support/temporary-project.ts';
import { axeFindings, HAS_BROWSER, useBrowser } from './browser.ts';

const browser = useBrowser();
let url: string;

/** A gateway with two administrators, a user, and an account that waits for approval. */
beforeAll(async () => {
  const project = createProject(
    {
      'notes.yaml': documentOf('Note'),
      '.meshrc.yaml': `sources:\n${sourceOf('Notes', './notes.yaml', 'http://127.0.0.1:9')}`,
    },
    atEndOfFile,
  );
  const environment = await createProjectAccounts(project, {
    'ada@example.com': ['User', 'Admin'],
    'ben@example.com': ['User'],
    'dora@example.com': ['Admin'],
  });
  const { gateway } = await serveProject(project, { ...environment, SIGN_UP: 'approve' }, atEndOfFile);
  url = gateway.url;
  await signUp('wanda@example.com');
});

function signUp(email: string): Promise<Response> {
  return fetch(`${url}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Wanda', email, password: PASSWORD }),
  });
}

async function openUsers(page: Page, email = 'ada@example.com'): Promise<void> {
  await page.goto('/app/sign-in?return=/app/users');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The row of an account in the table, without the last sign-in. */
async function rowOf(page: Page, email: string): Promise<readonly string[]> {
  const cells = await page.getByRole('row').filter({ hasText: email }).locator('th, td').allInnerTexts();
  return cells.toSpliced(3, 1).map((cell) => cell.replace(/\s+/g, ' ').trim());
}

describe.skipIf(!HAS_BROWSER)('the users', () => {
  it('are listed, found, approved, given roles, disabled and removed', async () => {
    const { page, offences } = await browser.open(url);
    await page.route('**/api/auth/users?*', (route) => route.fulfill({ status: 500, body: '{}' }));
    await openUsers(page);
    await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('4 accounts').waitFor();
    await expect
      .poll(() => rowOf(page, 'ada@'))
      .toStrictEqual(['Ada you ada@example.com', 'User, Admin', 'Active', 'Manage']);
    expect(await axeFindings(page)).toStrictEqual([]);

    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('1 account', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Approve wanda@example.com' }).click();
    await page.getByText('Nothing matches').waitFor();
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await page.getByText('4 accounts').waitFor();
    await expect.poll(async () => (await rowOf(page, 'wanda@'))[2]).toBe('Active');

    await page.getByRole('button', { name: 'Roles of ben@example.com: User' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Roles of ben@example.com' });
    await dialog.getByRole('textbox', { name: 'Another role' }).fill('Night.Watch');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Roles of ben@example.com: User, Night.Watch' }).waitFor();

    await page.getByRole('searchbox', { name: 'Search' }).fill('BEN@');
    await page.getByText('1 account', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Manage ben@example.com' }).click();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    await page.getByRole('button', { name: 'Set a new password' }).click();
    await page.getByText('The new password of ben@example.com').waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);
    await page.getByRole('button', { name: 'Delete …' }).click();
    await page.getByText('with its sessions and API keys: none').waitFor();
    await page.getByRole('button', { name: 'Delete ben@example.com' }).click();
    await page.getByText('0 accounts').waitFor();
    expect(offences).toStrictEqual([]);
  });

  it('are invited on a narrow screen, and stay as they must, by keyboard', async () => {
    const { page, offences } = await browser.open(url, { viewport: { width: 390, height: 844 } });
    await openUsers(page);
    const form = page.getByRole('form', { name: 'Invite someone' });
    await form.getByLabel('E-mail').fill('ivo@example.com');
    await form.getByRole('button', { name: 'Create invitation' }).click();
    const link = await form.locator('.secret').innerText();
    expect(link).toMatch(/^http:\/\/[\w.:]+\/app\/sign-up\?email=ivo%40example.com&invitation=[\w-]{43}$/);
    await page.getByRole('button', { name: 'Withdraw the invitation of ivo@example.com' }).waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect([width, await axeFindings(page)]).toStrictEqual([390, []]);
    await page.getByRole('button', { name: 'Withdraw the invitation of ivo@example.com' }).click();
    await page.getByRole('heading', { name: 'Open invitations' }).waitFor({ state: 'detached' });
    expect(offences).toStrictEqual([]);

    await page.getByRole('button', { name: 'Manage dora@example.com' }).click();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    await page.keyboard.press('Escape');
    const own = page.getByRole('button', { name: 'Roles of ada@example.com: User, Admin' });
    await own.click();
    await page.getByRole('dialog').getByLabel('Admin').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('This is the last account with the role Admin').waitFor();
    await page.keyboard.press('Escape');
    await own.and(page.locator('button:focus')).waitFor();
  });

  it.each([320, 400])('are one of the links at the top, which are all in sight, %d wide', async (width) => {
    const { page } = await browser.open(url, { viewport: { width, height: 844 } });
    await openUsers(page);
    const links = page.getByRole('navigation', { name: 'Screens' });
    await links.getByRole('link', { name: 'Audit' }).waitFor();
    const clipped = () =>
      links.evaluate((box) => [
        box.scrollWidth - box.clientWidth,
        document.documentElement.scrollWidth - document.documentElement.clientWidth,
      ]);
    await expect.poll(clipped).toStrictEqual([0, 0]);
  });

  it('are shown to administrators alone', async () => {
    const { page } = await browser.open(url);
    await openUsers(page, 'wanda@example.com');
    await page.getByText('Accounts are managed by users with the role Admin.').waitFor();
    expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0);
  });
});
