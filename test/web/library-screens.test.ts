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

describe.skipIf(!HAS_BROWSER)('an entity set without a screen of its own', () => {
  it('has one all the same, to which the landing page leads', async () => {
    const page = await open('/');
    await page.getByRole('link', { name: 'Open Book' }).click();
    await page.waitForURL('**/app/sets/Book');
    await page.getByRole('link', { name: 'The Crooked Ferry' }).first().click();
    await page.waitForURL('**/app/sets/Book/by-key?ISBN=9783400000009');
    await expect.poll(() => page.getByLabel('Title', { exact: true }).inputValue()).toBe('The Crooked Ferry');
    await expect
      .poll(() => page.getByRole('group', { name: 'Details' }).getByLabel('Publisher').inputValue())
      .toBe('Blauwe Brug');
    expect(await axeFindings(page)).toStrictEqual([]);
  });

  it('is named by its whole key', async () => {
    const page = await open('/app/sets/Copy');
    await page.locator('a.item').first().click();
    await page.getByLabel('ISBN').waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toStrictEqual({
      ISBN: '9783400000009',
      CopyNumber: '1',
    });
  });

  it.each([
    ['Genre.eq.poetry', 'Genre is poetry'],
    ['Published.lt.1970-01-01', 'Published is less than 1970-01-01'],
    ['Price.ge.20', 'Price is at least 20'],
    ['ChangedAt.gt.2020-01-01T00:00:00.000Z', 'Changed At is more than 2020-01-01T00:00:00.000Z'],
    ['Subtitle.empty', 'Subtitle is empty'],
  ])('is filtered by %s', async (filter, label) => {
    const page = await open(`/app/sets/Book?filter=${filter}`);
    await page.getByRole('list', { name: 'Filters' }).getByText(label).waitFor();
    await page.locator('a.item').first().waitFor();
  });

  it('has no screen that is none', async () => {
    const page = await open('/app/sets/constructor');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });
});
