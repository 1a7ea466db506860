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

/** The messages at the inputs, by the inputs' labels. */
async function problems(page: Page): Promise<Readonly<Record<string, string>>> {
  const fields = page.locator('.field', { has: page.locator('.problem') });
  return Object.fromEntries(
    await fields.evaluateAll((found) =>
      found.map((field) =>
        ['.label', '.problem'].map((part) => field.querySelector(part)?.textContent ?? ''),
      ),
    ),
  );
}

/** The body of the next create, as the browser sends it. */
async function sent(page: Page, submit: string): Promise<unknown> {
  const request = page.waitForRequest((one) => one.method() === 'POST' && one.url().includes('/odata/'));
  await page.getByRole('button', { name: submit }).click();
  return JSON.parse((await request).postData() ?? '');
}

async function fillBook(page: Page): Promise<void> {
  await page.getByLabel('ISBN').fill('9783400000123');
  await page.getByLabel('Medium').selectOption('print');
  await page.getByLabel('Title (required)').fill('A new one');
  await page.getByLabel('Author Id').fill('1');
  await page.getByLabel('Genre').selectOption('novel');
  await page.getByLabel('Price').fill('12.5');
}

describe.skipIf(!HAS_BROWSER)('what a form says of its inputs', () => {
  it('tells at every input what is wrong with it, and sends nothing', async () => {
    const page = await open('/app/sets/Book/add');
    await page.getByLabel('Title (required)').fill('x'.repeat(201));
    await page.getByLabel('Author Id').fill('2147483648');
    await page.getByLabel('Price').fill('dear');
    await page.getByRole('button', { name: 'Add to Keywords' }).click();
    await page.getByRole('button', { name: 'Add Book' }).click();
    await expect
      .poll(() => problems(page))
      .toStrictEqual({
        'ISBN (required)': 'Fill this in.',
        'Medium (required)': 'Fill this in.',
        'Title (required)': 'At most 200 characters; this is 201.',
        'Author Id (required)': 'Expected a whole number from -2147483648 to 2147483647.',
        'Genre (required)': 'Fill this in.',
        'Price (required)': 'Expected a number, such as 12.5.',
        'Keywords 1 (required)': 'Fill this in.',
      });
    await page.locator('input:focus').and(page.getByLabel('ISBN')).waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);
  });

  it('goes on as one types, by pattern, bounds and decimals', async () => {
    const page = await open('/app/sets/Book/add');
    await fillBook(page);
    await page.getByLabel('ISBN').fill('978340000012x');
    await page.getByLabel('Price').fill('-1');
    await page.getByRole('button', { name: 'Add Book' }).click();
    await expect
      .poll(() => problems(page))
      .toStrictEqual({
        'ISBN (required)': String.raw`Expected text that matches ^\d{13}$.`,
        'Price (required)': 'At least 0.',
      });
    await page.getByLabel('ISBN').fill('97834000001234');
    await page.getByLabel('Price').fill('1.234');
    await expect
      .poll(() => problems(page))
      .toStrictEqual({
        'ISBN (required)': 'At most 13 characters; this is 14.',
        'Price (required)': 'At most 2 decimal places.',
      });
  });

  it('shows at the input what the service finds wrong with it, and elsewhere above them all', async () => {
    const page = await open('/app/sets/Book/add');
    await fillBook(page);
    await page.getByLabel('Price').fill('1234567.5');
    await page.getByRole('button', { name: 'Add Book' }).click();
    await page.getByRole('alert').getByText('Pages: expected a value, found none.').waitFor();
    await expect
      .poll(() => problems(page))
      .toStrictEqual({
        'Price (required)': 'Price: expected at most 7 digits, found 8.',
      });
  });
});

describe.skipIf(!HAS_BROWSER)('what a form sends', () => {
  it('is of the type that was chosen, with its properties', async () => {
    const page = await open('/app/sets/Book/add');
    await fillBook(page);
    await page.getByLabel('Type', { exact: true }).selectOption('Audio Book');
    await expect.poll(() => page.getByLabel('Title (required)').inputValue()).toBe('A new one');
    await page.getByLabel('Narrator').fill('Ada');
    await page.getByLabel('Running Time').fill('PT7H5M');
    await page.getByLabel('Medium').selectOption('audio');
    await page.getByLabel('Published').fill('2026-01-31');
    await page.getByRole('button', { name: 'Add to Keywords' }).click();
    await page.getByRole('textbox', { name: 'Keywords 1' }).fill('sea');
    await page.getByRole('button', { name: 'Add to Keywords' }).click();
    await page.getByRole('textbox', { name: 'Keywords 2' }).fill('bread');
    await page.getByRole('button', { name: 'Remove Keywords 1' }).click();
    expect(await sent(page, 'Add Book')).toStrictEqual({
      '@odata.type': '#Library.AudioBook',
      ISBN: '9783400000123',
      Medium: 'audio',
      Title: 'A new one',
      AuthorId: 1,
      Genre: 'novel',
      Published: '2026-01-31',
      Price: 12.5,
      Keywords: ['bread'],
      Narrator: 'Ada',
      RunningTime: 'PT7H5M',
    });
    await page.getByRole('heading', { name: 'Book created' }).waitFor();
    await expect.poll(() => page.getByLabel('Narrator').inputValue()).toBe('Ada');
    expect(await axeFindings(page)).toStrictEqual([]);
  });

  it('has structures that were added, and several members of an enumeration', async () => {
    const page = await open('/app/sets/Member/add');
    await page.getByLabel('First Name').fill('Ada');
    await page.getByLabel('Last Name').fill('Reader');
    await page.getByLabel('Active').selectOption('No');
    await page.getByLabel('Email', { exact: true }).check();
    await page.getByLabel('Letter').check();
    await page.getByRole('button', { name: 'Add Address' }).click();
    await page.getByRole('group', { name: 'Address' }).getByLabel('Street').fill('Quay 1');
    await page.getByRole('button', { name: 'Add Member' }).click();
    await page.getByText('Fill this in.').waitFor();
    await page.getByLabel('City').fill('Fenn');
    await page.getByRole('button', { name: 'Add Location' }).click();
    await page.getByLabel('Latitude').fill('91');
    await page.getByText('At most 90.').waitFor();
    await page.getByLabel('Latitude').fill('52.4');
    await page.getByLabel('Longitude').fill('4.9');
    expect(await axeFindings(page)).toStrictEqual([]);
    expect(await sent(page, 'Add Member')).toStrictEqual({
      Active: false,
      Channels: 'Email,Letter',
      Address: { Street: 'Quay 1', City: 'Fenn', Location: { Latitude: 52.4, Longitude: 4.9 } },
      FirstName: 'Ada',
      LastName: 'Reader',
    });
    await page.getByRole('heading', { name: 'Member created' }).waitFor();
    await expect.poll(() => page.getByLabel('Active').inputValue()).toBe('No');
    await expect.poll(() => page.getByLabel('City').inputValue()).toBe('Fenn');
    expect(await page.getByLabel('Pin').count()).toBe(0);
  });

  it('has the member of flags that is none of them in the place of all others', async () => {
    const page = await open('/app/sets/Member/add');
    const channels = page.getByRole('group', { name: 'Channels' });
    const chosen = () =>
      channels
        .getByRole('checkbox', { checked: true })
        .evaluateAll((boxes) => boxes.map((box) => box.parentElement?.textContent));
    await channels.getByLabel('Email').check();
    await channels.getByLabel('Letter').check();
    await channels.getByLabel('None').check();
    await expect.poll(chosen).toStrictEqual(['None']);
    await channels.getByLabel('Text').check();
    await expect.poll(chosen).toStrictEqual(['Text']);
    await channels.getByLabel('None').check();
    expect(await axeFindings(page)).toStrictEqual([]);
    await page.getByLabel('First Name').fill('Ada');
    await page.getByLabel('Last Name').fill('Reader');
    expect(await sent(page, 'Add Member')).toMatchObject({ Channels: 'None' });
  });

  it('has no structure that was removed again', async () => {
    const page = await open('/app/sets/Member/add');
    await page.getByLabel('First Name').fill('Ada');
    await page.getByLabel('Last Name').fill('Reader');
    await page.getByRole('button', { name: 'Add Address' }).click();
    await page.getByRole('button', { name: 'Remove Address' }).click();
    expect(await sent(page, 'Add Member')).toStrictEqual({
      Active: true,
      FirstName: 'Ada',
      LastName: 'Reader',
    });
  });
});
