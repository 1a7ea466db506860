import { describe, expect, it } from 'vitest';
import { serveRelatedApi } from '../support/related-api.ts';
import { serveProject } from '../support/temporary-project.ts';
import { axeFindings, HAS_BROWSER, useBrowser } from './browser.ts';

const browser = useBrowser();

describe.skipIf(!HAS_BROWSER)('the relations of an API', () => {
  it('are checked with data, accepted and refused on its page', async () => {
    const { project } = await serveRelatedApi();
    const { gateway } = await serveProject(project);
    const { page, offences } = await browser.open(gateway.url);
    await page.goto('/app/apis/Shop/relations');
    await page.getByText('0 of 8 have been checked.').waitFor();
    await page.getByRole('button', { name: 'Check with data' }).click();
    await page.getByText('8 of 8 have been checked.').waitFor();
    const rows = async (title: string) => {
      const table = page.getByRole('region', { name: `${title} relations` });
      const texts = await table.getByRole('row').allInnerTexts();
      return texts.slice(1).map((row) => row.split('\t').slice(0, 4).join(' | ').trim());
    };
    expect(await rows('Served')).toStrictEqual([
      'Order/CustomerId | Customer | the name CustomerId | 4 of 4 found',
      'Order/DepotId | Depot | the name DepotId | Contradicted: 0 of 4 found',
    ]);
    expect((await rows('Suggested')).slice(4)).toStrictEqual([
      'Note/CustomerId | Customer | the name CustomerId | Ambiguous: 1 of 1 found, CustomerType names a type',
      'Note/UserId | RetailUser | the name UserId | Ambiguous: 1 of 1 found, also in TradeUser',
    ]);
    expect(await axeFindings(page)).toStrictEqual([]);
    await page.getByRole('button', { name: 'Accept TradeUser for Note/UserId' }).click();
    await page.getByRole('row', { name: 'Note/UserId TradeUser x-odata.references' }).waitFor();
    await page.getByRole('button', { name: 'Refuse Order/DepotId' }).click();
    await page.getByRole('region', { name: 'Refused relations' }).waitFor();
    expect(await rows('Refused')).toStrictEqual([
      'Order/DepotId | Depot | the name DepotId | Contradicted: 0 of 4 found',
    ]);
    if (process.env['SHOT']) await page.screenshot({ path: process.env['SHOT'], fullPage: true });
    expect(offences).toStrictEqual([]);
  });
});
