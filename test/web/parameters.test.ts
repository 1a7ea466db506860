import { describe, expect, it } from 'vitest';
import { servePartsApi } from '../support/parts-api.ts';
import { serveProject } from '../support/temporary-project.ts';
import { axeFindings, HAS_BROWSER, useBrowser } from './browser.ts';

const browser = useBrowser();

describe.skipIf(!HAS_BROWSER)('the parameters of an API', () => {
  it('are tried out and forgotten on its page', async () => {
    const { project } = await servePartsApi();
    const { gateway } = await serveProject(project);
    const { page, offences } = await browser.open(gateway.url);
    await page.goto('/app/apis/Stock/parameters');
    await page.getByText('0 of 5 have been tried.').waitFor();
    await page.getByRole('button', { name: 'Check what the API can do' }).click();
    await page.getByText('4 of 5 have been tried.').waitFor();
    const rows = await page.getByRole('row').allInnerTexts();
    expect(rows.map((row) => row.split('\t').at(-1))).toStrictEqual([
      'Result',
      'Used',
      'Not used: it does something else',
      'Not tried',
      'Used',
      'Used',
    ]);
    expect(await axeFindings(page)).toStrictEqual([]);
    await page.getByRole('button', { name: 'Forget the results' }).click();
    await page.getByText('0 of 5 have been tried.').waitFor();
    expect(offences).toStrictEqual([]);
  });
});
