import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { ACCESS, PASSWORD } from '../auth/account-client.ts';
import { useGateway } from '../support/running-gateway.ts';
import { axeFindings, HAS_BROWSER, useBrowser } from './browser.ts';
import { manyPosts } from './many-posts.ts';

const gateway = useGateway(ACCESS);
const browser = useBrowser();

beforeEach(() => gateway.upstream.behave(manyPosts));

async function signUp(page: Page): Promise<void> {
  await page.goto('/app/sign-up');
  await page.getByLabel('Name').fill('Ada Reader');
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('link', { name: 'Ada Reader' }).waitFor();
}

/** The content of a downloaded file. */
async function savedText(page: Page, name: string): Promise<string> {
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: `Save ${name}` }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe(name);
  return readFile(await file.path(), 'utf8');
}

describe.skipIf(!HAS_BROWSER)('connecting a program', () => {
  it('takes an address, a key for the set alone, and a text with both', async () => {
    const { page, offences } = await browser.open(gateway.url, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await signUp(page);
    await page.goto('/');
    await page.getByRole('heading', { name: 'Connect a program' }).waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);
    await page.getByRole('link', { name: 'Connect Post' }).click();
    await page.getByRole('heading', { name: 'Connect Post' }).waitFor();
    await page.getByRole('button', { name: 'Copy the address' }).click();
    await page.getByRole('button', { name: 'Copied the address' }).waitFor();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toBe(`${gateway.url}/odata/Post`);
    await page.getByRole('button', { name: 'curl' }).click();
    await page.getByRole('button', { name: 'Create a key' }).click();
    const key = await page.locator('.secret').innerText();
    await page.getByRole('button', { name: 'Copy the text for curl' }).click();
    await page.getByRole('button', { name: 'Copied the text for curl' }).waitFor();
    await expect.poll(copied).toBe(`curl -H 'X-API-Key: ${key}' '${gateway.url}/odata/Post?$top=5'`);
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const post = { method: 'POST', body: '{"Title":"x"}' };
    const statuses = [{ headers }, { headers, ...post }].map((init) => gateway.fetch('/odata/Post', init));
    expect((await Promise.all(statuses)).map(({ status }) => status)).toStrictEqual([200, 403]);
    expect(await axeFindings(page)).toStrictEqual([]);
    await page.getByRole('button', { name: 'Power BI' }).click();
    const { connections } = JSON.parse(await savedText(page, 'Post.pbids'));
    expect(connections[0].details.address.url).toBe(`${gateway.url}/odata/Post`);
    await page.getByRole('button', { name: 'Excel' }).click();
    const workbook = await savedText(page, 'Post.odc');
    expect(workbook).toContain(`OData.Feed(&amp;quot;${gateway.url}/odata/Post&amp;quot;`);
    expect(workbook).not.toContain(key);
    expect(await axeFindings(page)).toStrictEqual([]);
    expect(offences).toStrictEqual([]);
  });

  it('is offered for no set that the user may not read', async () => {
    const { page } = await browser.open(gateway.url);
    await page.goto('/app/connect/Secret');
    await page.getByRole('heading', { name: 'Secret cannot be read by a program' }).waitFor();
    expect(await page.getByRole('button', { name: 'Create a key' }).count()).toBe(0);
  });
});
