import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { postsProject } from '../registry/registry-gateway.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { documentOf, serveProject } from '../support/temporary-project.ts';
import { axeFindings, HAS_BROWSER, useBrowser } from './browser.ts';

const browser = useBrowser();
let upstream: StandInUpstream;
beforeAll(async () => {
  upstream = await startStandInUpstream();
});
afterAll(() => upstream.close());

describe.skipIf(!HAS_BROWSER)('a document that is edited by hand', () => {
  it('is served once it is confirmed that users lose something by it', async () => {
    const project = postsProject(upstream.url);
    const { gateway, json, entitySets } = await serveProject(project, { EDITED_FILES: 'confirm' });
    project.write('openapi/posts.yaml', documentOf('Note'));
    await vi.waitFor(
      async () => expect(await json('/api/registry/Posts')).toMatchObject({ refusal: expect.any(String) }),
      15_000,
    );

    const { page, offences } = await browser.open(gateway.url);
    await page.goto('/app/apis/Posts');
    const reported = page.getByRole('alert');
    await reported.getByText('The files have changed, and an earlier state of them is served.').waitFor();
    await reported.getByText('Post is no longer served.').waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);

    await page.getByRole('link', { name: 'Operations', exact: true }).click();
    await page.getByRole('button', { name: 'Fetch operations' }).click();
    await page.getByRole('alert').getByText('Post is no longer served.').waitFor();
    expect(await entitySets()).toStrictEqual(['Post']);
    expect(await axeFindings(page)).toStrictEqual([]);
    await page.getByRole('button', { name: 'Change it anyway' }).click();
    await page.getByRole('status').getByText('The current document is now served.').waitFor();
    expect(await page.getByRole('button', { name: 'Change it anyway' }).count()).toBe(0);
    expect(await entitySets()).toStrictEqual(['Note']);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('The files have changed').waitFor({ state: 'detached' });
    expect(offences).toStrictEqual([]);
  });
});
