import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, send } from '../auth/account-client.ts';
import { type Site, startSite } from '../support/sign-in-site.ts';
import { axeFindings, HAS_BROWSER, useBrowser } from './browser.ts';

const browser = useBrowser();
let site: Site;

beforeAll(async () => {
  if (HAS_BROWSER) site = await startSite();
});

/** Pages may send requests to the gateway and to the provider. */
function elsewhere(offences: readonly string[]): readonly string[] {
  return offences.filter((offence) => !offence.startsWith(`a request to ${site.provider.url}/`));
}

const proceed = (page: Page) => page.getByRole('button', { name: 'Continue with Example' }).click();

describe.skipIf(!HAS_BROWSER)('signing in by a provider', () => {
  it('leads there and back to what was asked for, and is told on the account page', async () => {
    site.provider.person = { sub: 'anna', email: 'anna@example.com', name: 'Anna Example' };
    const { page, offences } = await browser.open(site.url);
    await page.goto('/app/account');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);
    await proceed(page);
    await page.waitForURL('**/app/account');
    await page.getByRole('heading', { name: 'Ways to sign in' }).waitFor();
    await page.getByText('Connected').waitFor();
    await page.getByText('anna@example.com').waitFor();
    expect(await page.getByRole('heading', { name: 'Password' }).count()).toBe(0);
    await page.getByText('To have your account deleted, ask an administrator.').waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);
    expect(elsewhere(offences)).toStrictEqual([]);
  });

  it('says why it has not worked, and lets somebody try again', async () => {
    site.provider.person = undefined;
    const { page } = await browser.open(site.url);
    await page.goto('/app/sign-in?return=/app/account');
    await proceed(page);
    await page.getByRole('alert').getByText('You cancelled signing in with Example.').waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);
    site.provider.person = { sub: 'again', email: 'again@example.com' };
    await proceed(page);
    await page.waitForURL('**/app/account');
    await page.getByText('again@example.com').first().waitFor();
  });

  it('is connected to an account with a password on its page', async () => {
    const email = 'ben@example.com';
    await send(site, '/sign-up/email', { name: 'Ben', email, password: PASSWORD });
    site.provider.person = { sub: 'ben', email };
    const { page } = await browser.open(site.url);
    await page.goto('/app/sign-in');
    await proceed(page);
    await page
      .getByRole('alert')
      .getByText('There is already an account with your e-mail address.')
      .waitFor();
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('link', { name: 'Ben' }).click();
    await page.getByRole('button', { name: 'Connect Example' }).click();
    await page.getByRole('status').getByText('You can now sign in with Example.').waitFor();
    await page.getByText('Connected').waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);
    const { page: other } = await browser.open(site.url);
    await other.goto('/app/sign-up?return=/app/account');
    await proceed(other);
    await other.waitForURL('**/app/account');
    await other.getByText(email).first().waitFor();
  });
});
