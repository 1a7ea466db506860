import { describe, expect, it } from 'vitest';
import { PASSWORD, send } from '../auth/account-client.ts';
import { createProjectAccounts } from '../support/accounts-project.ts';
import { createProject, documentOf, serveProject, sourceOf } from '../support/temporary-project.ts';
import { axeFindings, HAS_BROWSER, useBrowser } from './browser.ts';

const browser = useBrowser();

/** A gateway with an administrator and failed sign-in attempts. */
async function serve(): Promise<string> {
  const project = createProject({
    'notes.yaml': documentOf('Note'),
    '.meshrc.yaml': `sources:\n${sourceOf('Notes', './notes.yaml', 'http://127.0.0.1:9')}`,
  });
  const environment = await createProjectAccounts(project, { 'ada@example.com': ['User', 'Admin'] });
  const { gateway } = await serveProject(project, environment);
  const asking = {
    async fetch(path: string, init?: RequestInit) {
      const { status, headers } = await fetch(`${gateway.url}${path}`, init);
      return { status, headers, text: '' };
    },
  };
  await send(asking, '/sign-in/email', { email: 'mallory@example.com', password: PASSWORD });
  return gateway.url;
}

describe.skipIf(!HAS_BROWSER)('the audit', () => {
  it('shows administrators what was done, the latest first', async () => {
    const { page, offences } = await browser.open(await serve());
    await page.goto('/app/sign-in');
    await page.getByLabel('E-mail').fill('ada@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('table').waitFor();
    const rows = async () =>
      (await page.getByRole('row').allInnerTexts()).map((row) => row.split('\t').slice(1).join(' ').trim());
    await expect
      .poll(rows)
      .toStrictEqual([
        'Who What From',
        'ada@example.com signed in 127.0.0.1',
        'mallory@example.com signed in refused 127.0.0.1',
        'command line created an account · ada@example.com',
      ]);
    expect(await axeFindings(page)).toStrictEqual([]);
    await page.setViewportSize({ width: 360, height: 640 });
    expect(await axeFindings(page)).toStrictEqual([]);
    expect(offences).toStrictEqual([]);
  });

  it('is not offered to others', async () => {
    const { page } = await browser.open(await serve());
    await page.goto('/app/audit');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByRole('link', { name: 'Audit' }).count()).toBe(0);
  });
});
