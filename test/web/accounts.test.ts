import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { ACCESS, PASSWORD } from '../auth/account-client.ts';
import { useGateway } from '../support/running-gateway.ts';
import { axeFindings, expectFaultless, FIRST_LOOK, HAS_BROWSER, useBrowser } from './browser.ts';
import { manyPosts } from './many-posts.ts';

const gateway = useGateway(ACCESS);
const browser = useBrowser();

beforeEach(() => gateway.upstream.behave(manyPosts));

let people = 0;

/** Signs up as a new user, from any page. */
async function signUp(page: Page): Promise<string> {
  people += 1;
  const email = `reader${people}@example.com`;
  await page.getByRole('link', { name: 'Sign up' }).click();
  await page.getByLabel('Name').fill('Ada Reader');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign up' }).click();
  return email;
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

describe.skipIf(!HAS_BROWSER)('who has not signed in', () => {
  it('is led to sign in, or up, and back to what was asked for', async () => {
    const { page, offences } = await browser.open(gateway.url);
    await page.goto('/app/posts?search=cedar');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signUp(page);
    await page.waitForURL('**/app/posts?search=cedar');
    await page.getByRole('status').getByText('15 items').waitFor();
    await page.getByRole('link', { name: 'Ada Reader' }).waitFor();
    expect(offences).toStrictEqual([]);
  });

  it('is led to no other site', async () => {
    const { page } = await browser.open(gateway.url);
    await page.goto('/app/sign-in?return=//evil.example/');
    await signUp(page);
    await page.getByRole('link', { name: 'Ada Reader' }).waitFor();
    await page.waitForURL(`${gateway.url}/`);
  });

  it('sees on the landing page that there is something to sign in for', async () => {
    const { page } = await browser.open(gateway.url);
    await page.goto('/');
    await page.getByText('to see what you can use').waitFor();
    await expect
      .poll(() => page.getByRole('button').allTextContents())
      .toStrictEqual(['Skip to the content']);
  });
});

describe.skipIf(!HAS_BROWSER)('signing in', () => {
  it('says what is wrong, and keeps what was typed', async () => {
    const { page } = await browser.open(gateway.url);
    await page.goto('/app/sign-in');
    await signIn(page, 'nobody@example.com', 'a wrong password');
    await page.getByRole('alert').waitFor();
    await expect.poll(() => page.getByLabel('E-mail').inputValue()).toBe('nobody@example.com');
  });

  it('says when guesses are over, and for how long', async () => {
    const { page } = await browser.open(gateway.url);
    await page.goto('/app/sign-in');
    for (let attempt = 1; attempt <= 6; attempt++) {
      const answered = page.waitForResponse('**/sign-in/email');
      await signIn(page, 'guessed@example.com', 'a wrong password');
      await answered;
    }
    await page.getByText('Too many attempts. Try again in 15 minutes.').waitFor();
  });

  it('is possible again after signing out, which leaves nothing to be seen', async () => {
    const { page, offences } = await browser.open(gateway.url);
    await page.goto('/app/sign-in?return=/app/posts');
    const email = await signUp(page);
    await page.locator('a.item').first().waitFor();
    await page.getByRole('link', { name: 'Ada Reader' }).click();
    await page.getByText(email).waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL(`${gateway.url}/`);
    await page.getByText('to see what you can use').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await signIn(page, email, PASSWORD);
    await page.getByRole('link', { name: 'Open Posts' }).waitFor();
    expect(offences).toStrictEqual([]);
  });
});

describe.skipIf(!HAS_BROWSER)('the account page', () => {
  it('makes an API key that works, until it is revoked', async () => {
    const { page, offences } = await browser.open(gateway.url);
    await page.goto('/app/account');
    await signUp(page);
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.getByLabel('Name').fill('Excel');
    await page.getByLabel('Expiration').selectOption('90 days');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const key = await page.locator('.secret').innerText();
    const read = async () =>
      (await gateway.fetch('/odata/Post/$count', { headers: { 'x-api-key': key } })).status;
    expect(await read()).toBe(200);
    expect(await axeFindings(page)).toStrictEqual([]);
    const keys = page.getByRole('list', { name: 'Your keys' });
    await expect.poll(() => keys.getByRole('listitem').count()).toBe(1);
    await page.getByRole('button', { name: 'Revoke Excel' }).click();
    await keys.waitFor({ state: 'detached' });
    expect(await read()).toBe(401);
    expect(offences).toStrictEqual([]);
  });

  it('limits an API key to what is ticked', async () => {
    const { page, offences } = await browser.open(gateway.url);
    await page.goto('/app/account');
    await signUp(page);
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.getByLabel('Name').fill('Form');
    await page.getByLabel('Permissions').selectOption('Only what is checked below');
    const make = page.getByRole('button', { name: 'Create a key' });
    await expect.poll(() => make.isDisabled()).toBe(true);
    await page.getByLabel('The key may Insert Post').check();
    expect(await axeFindings(page)).toStrictEqual([]);
    await make.click();
    const key = await page.locator('.secret').innerText();
    const keys = page.getByRole('list', { name: 'Your keys' });
    await keys.getByText('Post: Insert').waitFor();
    await keys.getByText('not used yet').waitFor();
    const headers = { 'x-api-key': key };
    expect((await gateway.fetch('/odata/Post', { headers })).status).toBe(403);
    await page.reload();
    await keys.getByText('last used').waitFor();
    expect(offences).toStrictEqual([]);
  });
});

describe.skipIf(!HAS_BROWSER)('the account', () => {
  it('gets another password, and is signed out everywhere else', async () => {
    const { page, offences } = await browser.open(gateway.url);
    await page.goto('/app/account');
    const email = await signUp(page);
    await page.getByRole('heading', { name: 'Password' }).waitFor();
    const body = JSON.stringify({ email, password: PASSWORD });
    const headers = { 'content-type': 'application/json' };
    const elsewhere = async () => {
      const { text } = await gateway.fetch('/api/auth/sign-in/email', { method: 'POST', headers, body });
      return { authorization: `Bearer ${JSON.parse(text).token}` };
    };
    const statusWith = async (bearer: Record<string, string>) =>
      (await gateway.fetch('/odata', { headers: bearer })).status;
    const first = await elsewhere();
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await page.getByText('You are signed out everywhere else.').waitFor();
    expect(await statusWith(first)).toBe(401);
    const second = await elsewhere();
    await page.getByLabel('Current password').fill('a wrong password');
    await page.getByLabel('New password').fill('another horse battery');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The password is incorrect.').waitFor();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The password has been changed.').waitFor();
    expect(await statusWith(second)).toBe(401);
    await expect.poll(() => page.getByLabel('New password').inputValue()).toBe('');
    expect(await axeFindings(page)).toStrictEqual([]);
    expect(offences).toStrictEqual([]);
  });

  it('is removed by whoever knows the password', async () => {
    const { page, offences } = await browser.open(gateway.url, { colorScheme: 'dark' });
    await page.goto('/app/account');
    const email = await signUp(page);
    await page.getByText('Delete account').click();
    expect(await axeFindings(page)).toStrictEqual([]);
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByText('to see what you can use').waitFor();
    await page.goto('/app/sign-in');
    await signIn(page, email, PASSWORD);
    await page.getByText('The e-mail address or password is incorrect.').waitFor();
    expect(offences).toStrictEqual([]);
  });
});

describe.skipIf(!HAS_BROWSER)('GraphiQL', () => {
  it('asks as the user who has signed in', async () => {
    const { page, offences } = await browser.open(gateway.url);
    await page.goto('/app/sign-in');
    await signUp(page);
    await page.getByRole('link', { name: 'Ada Reader' }).waitFor();
    await page.goto(`/graphql?query=${encodeURIComponent('{ post(id: "3") { title } }')}`);
    await page.getByRole('button', { name: /Execute query/ }).click();
    await page.locator('.result-window').getByText('cedar no. 3').waitFor();
    expect(offences).toStrictEqual([]);
  });
});

describe.skipIf(!HAS_BROWSER)('the pages for signing in and up', () => {
  it.each(['/app/sign-in', '/app/sign-up'])(
    '%s has nothing that axe finds, dark and light, narrow and wide, and fits',
    async (path) => {
      const { page } = await browser.open(gateway.url, FIRST_LOOK);
      await page.goto(path);
      await page.getByLabel('Password').waitFor();
      await expectFaultless(page);
    },
  );
});
