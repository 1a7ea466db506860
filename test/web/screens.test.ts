import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { readXlsx } from 'hucre/xlsx';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { useGateway } from '../support/running-gateway.ts';
import { expectFaultless, FIRST_LOOK, HAS_BROWSER, useBrowser } from './browser.ts';
import { MANY_POSTS, manyPosts } from './many-posts.ts';

const gateway = useGateway();
const browser = useBrowser();

beforeEach(() => gateway.upstream.behave(manyPosts));

/** Opens a screen, and looks at the end of the test whether it behaved. */
async function visit(path: string, look: (page: Page) => Promise<void>): Promise<void> {
  const { page, offences } = await browser.open(gateway.url);
  await page.goto(path);
  await look(page);
  expect(offences).toStrictEqual([]);
}

const items = (page: Page) => page.getByRole('region', { name: 'Post' }).locator('ul.items a');

/** Waits until the list says so. */
async function expectCount(page: Page, text: string): Promise<void> {
  await page.getByRole('status').getByText(text, { exact: true }).waitFor();
}

function titles(page: Page): Promise<readonly string[]> {
  return page.locator('.item-title').allTextContents();
}

function fields(page: Page): Promise<readonly (readonly [string, string])[]> {
  return page
    .locator('.form :is(input, textarea)')
    .evaluateAll((inputs: HTMLInputElement[]) =>
      inputs.map(({ labels, value }) => [labels?.[0]?.textContent ?? '', value]),
    );
}

describe.skipIf(!HAS_BROWSER)('Posts', () => {
  it('lists posts by title, page by page as one scrolls', () =>
    visit('/app/posts', async (page) => {
      await expectCount(page, '75 items');
      await expect.poll(() => titles(page)).toStrictEqual(MANY_POSTS.slice(0, 30).map(({ title }) => title));
      await items(page).nth(29).scrollIntoViewIfNeeded();
      await items(page).nth(59).waitFor();
      await items(page).nth(59).scrollIntoViewIfNeeded();
      await items(page).nth(74).waitFor();
      await expect.poll(() => titles(page)).toStrictEqual(MANY_POSTS.map(({ title }) => title ?? 'Untitled'));
      expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    }));

  it('searches, and keeps what it is asked for in the address', () =>
    visit('/app/posts', async (page) => {
      await page.getByRole('searchbox', { name: 'Search' }).fill('28 cedar');
      await expectCount(page, '1 item');
      await expect.poll(() => titles(page)).toStrictEqual(['cedar no. 28']);
      await expect.poll(() => new URL(page.url()).search).toBe('?search=28+cedar');
      await page.getByRole('searchbox').fill('');
      await expectCount(page, '75 items');
      await expect.poll(() => new URL(page.url()).search).toBe('');
    }));

  it('gives what it shows as a file', () =>
    visit('/app/posts?search=cedar&sort=Title', async (page) => {
      const saved = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download CSV' }).click();
      const file = await saved;
      expect(file.suggestedFilename()).toBe('Post.csv');
      const lines = (await readFile(await file.path(), 'utf8')).split('\r\n');
      const cedars = MANY_POSTS.flatMap(({ title }) => (/cedar/i.test(title ?? '') ? [title] : []));
      expect(lines[0]).toBe('\ufeffUserId,Id,Title,Body');
      expect(lines.slice(1, -1).map((line) => line.split(',')[2])).toStrictEqual(cedars.toSorted());
    }));

  it('gives what it shows as a workbook', () =>
    visit('/app/posts?search=cedar&sort=Title', async (page) => {
      const saved = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download Excel' }).click();
      const file = await saved;
      expect(file.suggestedFilename()).toBe('Post.xlsx');
      const { sheets } = await readXlsx(await readFile(await file.path()));
      const cedars = MANY_POSTS.flatMap(({ title }) => (/cedar/i.test(title ?? '') ? [title] : []));
      expect(sheets[0]?.rows[0]).toStrictEqual(['UserId', 'Id', 'Title', 'Body']);
      expect(sheets[0]?.rows.slice(1).map(([, , title]) => title)).toStrictEqual(cedars.toSorted());
    }));

  it('sorts', () =>
    visit('/app/posts?search=dune', async (page) => {
      await page.getByLabel('Sort by').selectOption('Title, descending');
      await page.waitForURL('**/app/posts?search=dune&sort=Title+desc');
      await page.reload();
      await expectCount(page, '15 items');
      const expected = MANY_POSTS.map(({ title }) => title ?? '').filter((title) => title.includes('dune'));
      await expect.poll(() => titles(page)).toStrictEqual(expected.sort().reverse());
    }));

  it('filters by properties, by their types', () =>
    visit('/app/posts', async (page) => {
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByLabel('Value').fill('two');
      await page.getByRole('button', { name: 'Add filter' }).click();
      await page.getByText('Expected a whole number.').waitFor();
      await page.getByLabel('Value').fill('2');
      await page.getByRole('button', { name: 'Add filter' }).click();
      await expectCount(page, '25 items');
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByLabel('Property').selectOption('Title');
      await page.getByLabel('Value').fill('AMBER');
      await page.getByRole('button', { name: 'Add filter' }).click();
      await expectCount(page, '5 items');
      await expect.poll(() => new URL(page.url()).search).toBe('?filter=UserId.eq.2&filter=Title.has.AMBER');
      await expect
        .poll(() => titles(page))
        .toStrictEqual(
          MANY_POSTS.filter(({ userId, title }) => userId === 2 && title?.includes('amber')).map(
            ({ title }) => title,
          ),
        );
      await page.getByRole('button', { name: 'Remove the filter: User Id is 2' }).click();
      await expectCount(page, '15 items');
    }));

  it('says when nothing matches, and how to go on', () =>
    visit('/app/posts?search=nowhere', async (page) => {
      await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
      await page.getByRole('button', { name: 'Clear search and filters' }).click();
      await expectCount(page, '75 items');
      await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('');
    }));

  it('says when the upstream is down, and tries again', () =>
    visit('/app/posts', async (page) => {
      gateway.upstream.behave((_, reply) => reply.reset());
      await page.reload();
      await page.getByRole('heading', { name: 'The API behind this service does not answer' }).waitFor();
      gateway.upstream.behave(manyPosts);
      await page.getByRole('button', { name: 'Try again' }).click();
      await expectCount(page, '75 items');
    }));
});

describe.skipIf(!HAS_BROWSER)('Post by ID', () => {
  it('opens from the list, reads every property, and leads back to the list as it was', () =>
    visit('/app/posts?search=cedar', async (page) => {
      await page.getByRole('link', { name: 'cedar no. 3', exact: false }).first().click();
      await page.waitForURL('**/app/posts/post-by-id?postId=3');
      await page.locator('.form').getByLabel('Title').waitFor();
      await expect
        .poll(() => fields(page))
        .toStrictEqual([
          ['User Id', '3'],
          ['Id', '3'],
          ['Title', 'cedar no. 3'],
          ['Body', 'The text\nof post 3.'],
        ]);
      expect(await page.locator('.form :is(input, textarea):not([readonly])').count()).toBe(0);
      await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Posts' }).click();
      await page.waitForURL('**/app/posts?search=cedar');
    }));

  it('says when there is no such post', () =>
    visit('/app/posts/post-by-id?postId=999', async (page) => {
      await page.getByRole('heading', { name: 'There is no such Post' }).waitFor();
    }));

  it('asks for the post of any key, and for nothing else', () =>
    visit(`/app/posts/post-by-id?postId=${encodeURIComponent("a/b'c?d")}`, async (page) => {
      await page.getByRole('heading', { name: 'There is no such Post' }).waitFor();
      expect(gateway.upstream.requests.at(-1)?.target).toBe("/posts/a%2Fb'c%3Fd");
    }));

  it('says when no post is named', () =>
    visit('/app/posts/post-by-id', async (page) => {
      await page.getByRole('heading', { name: 'No Post chosen' }).waitFor();
    }));
});

describe.skipIf(!HAS_BROWSER)('a link', () => {
  it('leads to its page before anything can be typed into the one that it is on', () =>
    visit('/app/posts', async (page) => {
      const heading = await page
        .getByRole('link', { name: 'Add Post' })
        .evaluate(async (link: HTMLElement) => {
          link.click();
          await new Promise<void>(queueMicrotask);
          return document.querySelector('h1')?.textContent;
        });
      expect(heading).toBe('Add Post');
    }));
});

describe.skipIf(!HAS_BROWSER)('Add Post', () => {
  it('has inputs for what is not excluded, and goes back by ..', () =>
    visit('/app/posts', async (page) => {
      await page.getByRole('link', { name: 'Add Post' }).click();
      await page.waitForURL('**/app/posts/add-post');
      await page.getByLabel('Title').waitFor();
      await expect
        .poll(() => fields(page))
        .toStrictEqual([
          ['Title', ''],
          ['Body', ''],
        ]);
      await page.getByRole('link', { name: 'Cancel' }).click();
      await page.waitForURL('**/app/posts');
    }));

  it('sends what is filled in, shows the answer, and says that it need not be kept', () =>
    visit('/app/posts/add-post', async (page) => {
      await page.getByLabel('Title').fill('A "quoted" title');
      await page.getByRole('button', { name: 'Add post' }).click();
      await page.getByRole('heading', { name: 'Post created' }).waitFor();
      expect(gateway.upstream.requests.at(-1)?.body.toString()).toBe('{"Title":"A \\"quoted\\" title"}');
      await expect
        .poll(() => fields(page))
        .toStrictEqual([
          ['User Id', ''],
          ['Id', '101'],
          ['Title', 'A "quoted" title'],
          ['Body', ''],
        ]);
      await expect
        .poll(() => page.getByRole('status').textContent())
        .toContain('the list may not contain it');
      await page.getByRole('link', { name: 'Done' }).click();
      await page.waitForURL('**/app/posts');
    }));

  it('keeps what was typed when the upstream does not take it', () =>
    visit('/app/posts/add-post', async (page) => {
      gateway.upstream.behave((_, reply) => reply.send(500, '{}'));
      await page.getByLabel('Title').fill('Kept');
      await page.getByRole('button', { name: 'Add post' }).click();
      await page.getByRole('alert').getByText('Failed to add a post.').waitFor();
      await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('Kept');
    }));
});

describe.skipIf(!HAS_BROWSER)('the landing page', () => {
  it('lists what is served, and runs sample queries', () =>
    visit('/', async (page) => {
      await page.getByRole('list', { name: 'Permissions on Post' }).waitFor();
      await expect.poll(() => page.locator('.marks li').allTextContents()).toStrictEqual(['View', 'Insert']);
      await page.getByRole('button', { name: /^The first five, and how many/ }).click();
      const answer = page.getByRole('region', { name: 'The answer' });
      await answer.waitFor();
      const { '@odata.count': count, value } = JSON.parse(await answer.innerText());
      expect([count, value.length]).toStrictEqual([75, 5]);
      await page.getByRole('link', { name: 'Open Posts' }).click();
      await page.waitForURL('**/app/posts');
    }));

  it('has sample queries that all work', async () => {
    const { queries } = JSON.parse((await gateway.fetch('/')).text);
    const answers = await Promise.all(
      queries.map(async ({ href }: { href: string }) => (await gateway.fetch(`/${href}`)).status),
    );
    expect(answers).toStrictEqual(queries.map(() => 200));
  });
});

describe.skipIf(!HAS_BROWSER)('every screen', () => {
  const SCREENS = [
    ['/', 'h2 >> nth=2'],
    ['/app/posts', 'a.item'],
    ['/app/posts?search=nowhere', '.notice'],
    ['/app/posts?filter=Title.has.dune&sort=UserId', '.chip'],
    ['/app/posts/post-by-id?postId=1', 'textarea'],
    ['/app/posts/post-by-id?postId=999', '.notice'],
    ['/app/posts/add-post', 'textarea'],
    ['/app/account', '.notice'],
    ['/app/nowhere', 'h1'],
  ] as const;

  it.each(SCREENS)(
    '%s has nothing that axe finds, dark and light, narrow and wide, and fits',
    async (path, landmark) => {
      const { page, offences } = await browser.open(gateway.url, FIRST_LOOK);
      await page.goto(path);
      await page.locator(landmark).first().waitFor();
      await expectFaultless(page);
      expect(offences).toStrictEqual([]);
    },
  );

  it('needs at most 130 KB of script, gzipped, at first', async () => {
    const { page } = await browser.open(gateway.url);
    const scripts: Promise<Buffer>[] = [];
    page.on('response', (response) => {
      if (response.request().resourceType() === 'script') scripts.push(response.body());
    });
    await page.goto('/app/posts');
    await page.locator('a.item').first().waitFor();
    const sizes = (await Promise.all(scripts)).map((script) => gzipSync(script).length);
    expect(sizes).not.toHaveLength(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(130_000);
  });

  it.each(['/', '/app/posts', '/app/posts/post-by-id?postId=1', '/app/posts/add-post'])(
    'does not shift while it loads: %s',
    async (path) => {
      const { page } = await browser.open(gateway.url);
      const script = await page.addInitScript(watchLayoutShift);
      onTestFinished(() => script.dispose());
      await page.goto(path);
      await page.waitForLoadState('networkidle');
      await page.locator('main :is(.item, .card)').first().waitFor();
      expect(await page.evaluate(() => Reflect.get(window, 'layoutShift'))).toBeLessThan(0.01);
    },
  );
});

/** Runs in the page: adds up how far what is shown is moved by what comes later. */
function watchLayoutShift(): void {
  Reflect.set(window, 'layoutShift', 0);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const shift = Reflect.get(entry, 'hadRecentInput') === true ? 0 : Number(Reflect.get(entry, 'value'));
      Reflect.set(window, 'layoutShift', Number(Reflect.get(window, 'layoutShift')) + shift);
    }
  }).observe({ type: 'layout-shift', buffered: true });
}
