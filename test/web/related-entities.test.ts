import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFindings, HAS_BROWSER, useBrowser } from './browser.ts';
import { useLibraryGateway } from './library-gateway.ts';

const browser = useBrowser();
const gateway = useLibraryGateway();

async function open(path: string): Promise<Page> {
  const { page } = await browser.open(gateway.url);
  await page.goto(path);
  return page;
}

describe.skipIf(!HAS_BROWSER)('a foreign key', () => {
  it('links to the related entity, in a list and on the page of an entity', async () => {
    const page = await open('/app/sets/Book');
    await page.getByRole('link', { name: 'Open Author' }).first().waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);
    await page.goto('/app/sets/Book/by-key?ISBN=9783400000009');
    const link = page.getByRole('link', { name: 'Open Author 1' });
    await link.waitFor();
    if (process.env['SHOT']) await page.screenshot({ path: process.env['SHOT'] });
    await link.click();
    await page.waitForURL('**/app/sets/Author/by-key?Id=1');
    if (process.env['SHOT']) await page.screenshot({ path: process.env['SHOT'].replace('.png', '3.png') });
    await page.getByRole('heading', { name: 'Author' }).waitFor();
  });

  it('is offered from the related set while typing, page by page', async () => {
    const page = await open('/app/sets/Book/add');
    const requests: string[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname.endsWith('/odata/Author')) requests.push(decodeURIComponent(url.search));
    });
    const input = page.getByRole('combobox', { name: 'Author Id' });
    await input.focus();
    const options = page.getByRole('listbox', { name: 'Author' }).getByRole('option');
    await options.first().waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);
    const all = await options.allInnerTexts();
    const [key = '', ...name] = (all[0] ?? '').split(/\s+/);
    const part = name.join(' ').slice(1, 6).toUpperCase();
    await input.fill(part);
    await expect
      .poll(() => requests.at(-1))
      .toContain(`contains(tolower(FirstName),'${part.toLowerCase()}')`);
    await expect.poll(async () => (await options.allInnerTexts()).length).toBeLessThan(all.length);
    if (process.env['SHOT']) await page.screenshot({ path: process.env['SHOT'].replace('.png', '2.png') });
    await options.first().click();
    expect(await input.inputValue()).toBe(key);
    expect(await options.count()).toBe(0);
    // With the keyboard alone.
    await input.fill('');
    await options.nth(1).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await input.inputValue()).toBe((all[1] ?? '').split(/\s+/)[0]);
    expect(requests.every((each) => each.includes('$top=10') && each.includes('$select=Id,FirstName'))).toBe(
      true,
    );
  });
});
