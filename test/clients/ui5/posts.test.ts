import { expect, it } from 'vitest';
import { useDemo } from '../support/demo.ts';
import { useAppServer } from './app-server.ts';
import { useUi5 } from './ui5-page.ts';

const demo = useDemo('posts');
const app = useAppServer(demo);
const page = useUi5(app, demo);

it('a list of posts grows as the user scrolls', async () => {
  const ui5 = await page.openModel();
  const lengths = await ui5.evaluate(async ({ model, Sorter }) => {
    const posts = model.bindList('/Post', undefined, new Sorter('Title'), [], { $count: true });
    const pages = [0, 40, 80, 120].map((start) => posts.requestContexts(start, 40));
    return [posts.getCount(), ...(await Promise.all(pages)).map(({ length }) => length), posts.getCount()];
  });
  expect(lengths).toStrictEqual([undefined, 40, 40, 20, 0, 100]);
  expect(page.complaints).toStrictEqual([]);
});

// The API does not store created posts, so UI5 must be configured not to read them again.
it('a post is created at the top of its list', async () => {
  const ui5 = await page.openModel();
  const created = await ui5.evaluate(async ({ model }) => {
    const posts = model.bindList('/Post');
    await posts.requestContexts(0, 5);
    const post = posts.create({ UserId: 1, Title: 'Hello', Body: 'From UI5' }, true);
    await post.created();
    return [post.getPath(), post.getIndex(), post.getProperty('Title')];
  });
  expect(created).toStrictEqual(["/Post('101')", 0, 'Hello']);
  expect(page.complaints).toStrictEqual([]);
});

it('a post cannot be changed, and the user is told', async () => {
  const ui5 = await page.openModel();
  const shown = await ui5.evaluate(async ({ model, Messaging }) => {
    const post = model.bindContext("/Post('1')").getBoundContext();
    await post.requestObject();
    const status = await post.setProperty('Title', 'Anew').then(String, (error) => error.status);
    return [status, Messaging.getMessageModel().getData()[0].getMessage()];
  });
  expect(shown).toStrictEqual([405, 'PATCH is not allowed here; allowed: GET, HEAD, OPTIONS.']);
});
