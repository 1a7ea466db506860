import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { startLibraryUpstream } from '../../src/demo/library/library-upstream.ts';
import type { SampleUpstream } from '../../src/demo/sample-server.ts';
import { axeFindings, HAS_BROWSER, useBrowser } from './browser.ts';

const browser = useBrowser();
let library: SampleUpstream;
let gateway: Gateway;
beforeAll(async () => {
  library = await startLibraryUpstream();
  gateway = await startGateway(
    readConfig({
      AUTH: 'off',
      PORT: '0',
      LOG_LEVEL: 'silent',
      LIBRARY_URL: library.url,
      MESH_CONFIG: join(import.meta.dirname, '../../openapi/library.meshrc.yaml'),
    }),
  );
});
afterAll(async () => {
  await gateway.close();
  await library.close();
});

async function open(path: string): Promise<Page> {
  const { page } = await browser.open(gateway.url);
  await page.goto(path);
  return page;
}

/** The messages at the inputs, by the inputs' labels. */
async function problems(page: Page): Promise<Readonly<Record<string, string>>> {
  const fields = await page.locator('.field', { has: page.locator('.problem') }).all();
  const entries = await Promise.all(
    fields.map(async (field) => [
      await field.locator('.label').innerText(),
      await field.locator('.problem').innerText(),
    ]),
  );
  return Object.fromEntries(entries);
}

describe.skipIf(!HAS_BROWSER)('an entity set without a screen of its own', () => {
  it('has one all the same, to which the landing page leads', async () => {
    const page = await open('/');
    await page.getByRole('link', { name: 'Open Book' }).click();
    await page.waitForURL('**/app/sets/Book');
    await page.getByRole('link', { name: 'The Crooked Ferry' }).first().click();
    await page.waitForURL('**/app/sets/Book/by-key?ISBN=9783400000009');
    expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe('The Crooked Ferry');
    expect(await page.getByRole('group', { name: 'Details' }).getByLabel('Publisher').inputValue()).toBe(
      'Blauwe Brug',
    );
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
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)('a form', () => {
  it('says at every input what is wrong with it, and sends nothing', async () => {
    const page = await open('/app/sets/Book/add');
    await page.getByLabel('Title (required)').fill('x'.repeat(201));
    await page.getByLabel('Author Id').fill('2147483648');
    await page.getByLabel('Price').fill('dear');
    await page.getByLabel('Keywords').fill('clocks');
    await page.getByRole('button', { name: 'Add Book' }).click();
    expect(await problems(page)).toStrictEqual({
      'ISBN (required)': 'Fill this in.',
      'Medium (required)': 'Fill this in.',
      'Title (required)': 'At most 200 characters; this is 201.',
      'Author Id (required)': 'Expected a whole number from -2147483648 to 2147483647.',
      'Genre (required)': 'Fill this in.',
      'Price (required)': 'Expected a number, such as 12.5.',
      'Keywords (required)': 'Expected a JSON array, such as ["a", "b"].',
    });
    expect(await page.evaluate(() => document.activeElement?.id)).toBe(
      await page.getByLabel('ISBN').getAttribute('id'),
    );
    expect(await axeFindings(page)).toStrictEqual([]);
  });

  it('shows at the input what the service finds wrong with it', async () => {
    const page = await open('/app/sets/Author/add');
    await page.getByLabel('Last Name').fill('Writer');
    await page.getByLabel('Languages').fill('["english"]');
    await page.getByRole('button', { name: 'Add Author' }).click();
    await page.locator('.problem').waitFor();
    expect(await problems(page)).toStrictEqual({
      'Languages (required)': 'Languages/0: expected text that matches ^[a-z]{2}$, found other text.',
    });
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('shows above the inputs what the service finds wrong elsewhere', async () => {
    const page = await open('/app/sets/Book/add');
    await page.getByLabel('ISBN').fill('9783400000123');
    await page.getByLabel('Medium').selectOption('print');
    await page.getByLabel('Title (required)').fill('Without pages');
    await page.getByLabel('Author Id').fill('1');
    await page.getByLabel('Genre').selectOption('novel');
    await page.getByLabel('Price').fill('1.234');
    await page.getByLabel('Keywords').fill('[]');
    await page.getByRole('button', { name: 'Add Book' }).click();
    await page.getByRole('alert').getByText('Pages: expected a value, found none.').waitFor();
    expect(await problems(page)).toStrictEqual({
      'Price (required)': 'Price: expected at most 2 decimal places, found 3.',
    });
  });

  it('sends values of every type, and of complex types', async () => {
    const page = await open('/app/sets/Member/add');
    await page.getByLabel('First Name').fill('Ada');
    await page.getByLabel('Last Name').fill('Reader');
    await page.getByLabel('Active').selectOption('No');
    await page.getByRole('group', { name: 'Address' }).getByLabel('Street').fill('Quay 1');
    await page.getByRole('button', { name: 'Add Member' }).click();
    await page.getByText('Fill this in.').waitFor();
    await page.getByLabel('City').fill('Fenn');
    await page.getByRole('button', { name: 'Add Member' }).click();
    await page.getByRole('heading', { name: 'Member created' }).waitFor();
    expect(await page.getByLabel('Active').inputValue()).toBe('No');
    expect(await page.getByLabel('City').inputValue()).toBe('Fenn');
    expect(await page.getByLabel('Pin').count()).toBe(0);
  });
});
