import { chmodSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type AtEnd, atEndOfFile } from '../support/end-of-file.ts';
import { type Behaviour, type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import {
  createProject,
  documentOf,
  type ProjectGateway,
  serveProject,
  sourceOf,
  type TemporaryProject,
} from '../support/temporary-project.ts';
import { axeFindings, expectFaultless, FIRST_LOOK, HAS_BROWSER, useBrowser } from './browser.ts';

const browser = useBrowser();

const NOTES = [{ id: 1, userId: 1, title: 'A note', body: 'Its text' }];
const notesApi: Behaviour = (_, reply) => reply.json(NOTES);

let upstream: StandInUpstream;
let shared: ServedPosts;
beforeAll(async () => {
  upstream = await startStandInUpstream(notesApi);
  shared = await servePosts(atEndOfFile);
});
beforeEach(() => upstream.behave(notesApi));
afterAll(() => upstream.close());

interface ServedPosts extends ProjectGateway {
  readonly project: TemporaryProject;
}

/** A gateway that serves posts, and may call the upstream. */
async function servePosts(atEnd: AtEnd = onTestFinished): Promise<ServedPosts> {
  const project = createProject(
    {
      '.meshrc.yaml': `sources:\n${sourceOf('Posts', './openapi/posts.yaml', upstream.url, { 'x-application-name': '{env.APPLICATION_NAME}' })}`,
      'openapi/posts.yaml': documentOf('Post'),
    },
    atEnd,
  );
  return { ...(await serveProject(project, { REGISTRY_HOSTS: '127.0.0.1' }, atEnd)), project };
}

/** The page of a gateway, which the tests share unless they change the API that it begins with. */
async function enter(path: string, served = shared) {
  const { page, offences } = await browser.open(served.gateway.url);
  await page.goto(path);
  return { ...served, page, offences };
}

/** Takes back what a test has registered. */
async function deleteNotes(): Promise<void> {
  const notes = `${shared.gateway.url}/api/registry/Notes`;
  if ((await fetch(notes)).status === 404) return;
  const headers = { 'content-type': 'application/json' };
  await fetch(`${notes}/remove`, { method: 'POST', headers, body: '{}' });
  expect((await fetch(notes, { method: 'DELETE' })).status).toBe(204);
}

afterEach(deleteNotes);

async function choose(
  page: Page,
  name: string,
  content: string | Buffer,
  label = 'OpenAPI file',
): Promise<void> {
  const buffer = Buffer.from(content);
  await page.getByLabel(label).setInputFiles({ name, mimeType: 'application/yaml', buffer });
}

const report = (page: Page) => page.getByRole('region', { name: 'Validation of the file' });

async function registerNotes(page: Page): Promise<void> {
  await choose(page, 'notes.yaml', documentOf('Note'));
  await page.getByLabel('Service URL').fill(upstream.url);
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('button', { name: 'Add to project' }).waitFor();
}

describe.skipIf(!HAS_BROWSER)('registering an API', () => {
  it('serves it as OData and as GraphQL when it has been added to the project', async () => {
    const { page, offences, gateway, project, json, entitySets } = await enter('/app/apis');
    await page.getByRole('link', { name: 'Register an API' }).click();
    await choose(page, 'notes.yaml', documentOf('Note'));
    await report(page).getByText('There are no schema validation errors.').waitFor();
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Notes');
    await registerNotes(page);
    expect(readFileSync(project.path('openapi/notes.yaml'), 'utf8')).toBe(documentOf('Note'));
    expect(await entitySets()).toStrictEqual(['Post']);
    await page.getByRole('button', { name: 'Add to project' }).click();
    await page.getByText('Notes is live').waitFor();
    expect(await entitySets()).toStrictEqual(['Post', 'Note']);
    const query = encodeURIComponent('{ notes { title } }');
    expect(await json(`/graphql?query=${query}`)).toStrictEqual({ data: { notes: [{ title: 'A note' }] } });
    await page.getByRole('link', { name: 'Note', exact: true }).click();
    await page.getByRole('link', { name: 'A note' }).waitFor();
    await page.waitForURL(`${gateway.url}/app/sets/Note`);
    expect(offences).toStrictEqual([]);
  });

  it('is undone by removing it from the project, and by deleting it', async () => {
    const { page, offences, entitySets } = await enter('/app/apis/register-api');
    await registerNotes(page);
    await page.getByRole('button', { name: 'Add to project' }).click();
    await page.getByRole('button', { name: 'Remove from project' }).click();
    await page.getByText('OData and GraphQL will no longer serve: Note.').waitFor();
    await page.getByRole('button', { name: 'Remove Notes' }).click();
    await page.getByText('Notes was removed from the project').waitFor();
    expect(await entitySets()).toStrictEqual(['Post']);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    expect(await axeFindings(page)).toStrictEqual([]);
    await page.getByRole('button', { name: 'Delete Notes' }).click();
    await page.waitForURL('**/app/apis');
    await page.getByRole('link', { name: 'Posts Posts' }).waitFor();
    const others = page.getByRole('list', { name: 'APIs' }).getByRole('listitem');
    await expect.poll(() => others.count()).toBe(1);
    expect(offences).toStrictEqual([]);
  });

  it('is turned off, so that nothing is sent to it, and on again', async () => {
    const { page, offences, gateway } = await enter('/app/apis/register-api');
    await registerNotes(page);
    await page.getByRole('button', { name: 'Add to project' }).click();
    await page.getByText('Notes is live').waitFor();
    const statusOf = async () => (await fetch(`${gateway.url}/odata/Note`)).status;
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('Nothing will be sent to the API until it is turned on again.').waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);
    await page.getByRole('button', { name: 'Turn Notes off' }).click();
    await page.getByRole('button', { name: 'Turn on' }).waitFor();
    const sent = upstream.requests.length;
    expect([await statusOf(), upstream.requests.length]).toStrictEqual([503, sent]);
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('button', { name: 'Turn off' }).waitFor();
    expect([await statusOf(), upstream.requests.length]).toStrictEqual([200, sent + 1]);
    expect(offences).toStrictEqual([]);
  });

  it('has a history, from which an earlier state is brought back', async () => {
    const { page, offences, project } = await enter('/app/apis/register-api');
    await registerNotes(page);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Description').fill('Words');
    await page.getByLabel('Replace the file').setInputFiles({
      name: 'notes.yaml',
      mimeType: 'application/yaml',
      buffer: Buffer.from(documentOf('Note').replace('User: [View, Insert]', 'User: [View]')),
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('Changed: document, description').waitFor();
    await page.getByText('User may no longer Insert Note.').waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);
    await page.getByRole('button', { name: /^Restore previous state/ }).click();
    await page.getByText('The state before that change has been restored.').waitFor();
    expect(readFileSync(project.path('openapi/notes.yaml'), 'utf8')).toBe(documentOf('Note'));
    await expect.poll(() => page.getByRole('button', { name: /^Restore previous state/ }).count()).toBe(2);
    expect(offences).toStrictEqual([]);
  });

  it('takes the address of a document in the place of a file', async () => {
    const { page, offences } = await enter('/app/apis/register-api');
    upstream.behave((_, reply) => reply.send(200, documentOf('Note')));
    await page.getByLabel('Name').fill('Notes');
    await page.getByLabel('Or its URL').fill('http://localhost:1/notes.yaml');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('The operator does not allow localhost').waitFor();
    await page.getByLabel('Or its URL').fill(`${upstream.url}/notes.yaml`);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('button', { name: 'Add to project' }).waitFor();
    await page.getByRole('link', { name: '3 operations' }).waitFor();
    expect(offences).toStrictEqual([]);
  });

  it('tells at each field what is wrong with it', async () => {
    const { page } = await enter('/app/apis/register-api');
    await choose(page, 'notes.yaml', documentOf('Note'));
    await page.getByLabel('Name').fill('no name');
    await page.getByLabel('Service URL').fill('ftp://x');
    await page.getByRole('button', { name: 'Register' }).click();
    const at = (label: string) => page.locator('.field', { has: page.getByLabel(label) }).locator('.problem');
    await expect
      .poll(() => Promise.all(['Name', 'Service URL'].map((label) => at(label).count())))
      .toStrictEqual([1, 1]);
    await page.getByLabel('Name').fill('posts');
    await page.getByLabel('Service URL').fill(upstream.url);
    await page.getByRole('button', { name: 'Register' }).click();
    await at('Name').getByText('An API named posts already exists.').waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);
  });
});

describe.skipIf(!HAS_BROWSER)('a file that is no OpenAPI 3.1', () => {
  const FILES = [
    ['broken.yaml', 'openapi: 3.1.0\npaths:\n  /x: [', /line 3/i],
    ['old.yaml', 'openapi: 3.0.3\ninfo: { title: x, version: "1" }\npaths: {}', /OpenAPI 3\.0/],
    ['older.json', '{"swagger":"2.0","info":{"title":"x","version":"1"},"paths":{}}', /Swagger 2/],
    ['other.yaml', 'greeting: hello', /not an OpenAPI/i],
  ] as const;

  it.each(FILES)('%s is told what it is when it is chosen', async (name, content, told) => {
    const { page, offences } = await enter('/app/apis/register-api');
    await choose(page, name, content);
    await report(page)
      .locator('.banner.bad', { hasText: told })
      .or(report(page).getByText(told).first())
      .first()
      .waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);
    expect(offences).toStrictEqual([]);
  });

  it('is not even sent when it is larger than is taken', async () => {
    const { page } = await enter('/app/apis/register-api');
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(request.url());
    });
    await choose(page, 'large.yaml', Buffer.alloc(6 * 1024 * 1024, 'x'));
    await page.getByText('large.yaml is 6.0 MB; the limit is 5 MB.').waitFor();
    expect(sent).toStrictEqual([]);
  });
});

describe.skipIf(!HAS_BROWSER)('what somebody types while a file is read', () => {
  it.each([
    ['to be registered', '/app/apis/register-api', 'OpenAPI file'],
    ['to replace another one', '/app/apis/Posts/settings', 'Replace the file'],
  ])('%s is kept', async (_, path, label) => {
    const { page, offences } = await enter(path);
    await page.getByLabel(label).waitFor();
    const reading = await page.evaluateHandle(holdFiles);
    await choose(page, 'notes.yaml', documentOf('Note'), label);
    await page.getByLabel('Description').fill('Typed meanwhile');
    await reading.evaluate(({ goOn }) => goOn());
    await report(page).waitFor();
    expect(await page.getByLabel('Description').inputValue()).toBe('Typed meanwhile');
    expect(offences).toStrictEqual([]);
  });
});

/** Runs in the page: the text of files is there when the test goes on. */
function holdFiles(): { readonly goOn: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { text } = Blob.prototype;
  Blob.prototype.text = async function (this: Blob) {
    await promise;
    return text.call(this);
  };
  return { goOn: resolve };
}

describe.skipIf(!HAS_BROWSER)('the page of an API', () => {
  it('says what the gateway finds in its file, and what is left out', async () => {
    const { page } = await enter('/app/apis/Posts/settings');
    await page.getByText('There are no schema validation errors.').waitFor();
    const broken = documentOf('Post').replace('operationId: posts', 'operationId: createPost');
    await page
      .getByLabel('Replace the file')
      .setInputFiles({ name: 'posts.yaml', mimeType: 'application/yaml', buffer: Buffer.from(broken) });
    await report(page).getByText('1 error').waitFor();
    await report(page)
      .getByText(/^Line \d+, column \d+ · /)
      .first()
      .waitFor();
  });

  it('says how many lists are tables, and why the others are not', async () => {
    const { page, offences } = await enter('/app/apis/register-api');
    const list = documentOf('Note').replace(
      'paths:\n',
      `paths:
  /sums:
    get:
      operationId: sums
      responses:
        "200":
          description: Sums.
          content:
            application/json:
              schema: { type: array, items: { type: object, properties: { from: { type: string }, to: { type: string }, sum: { type: number } } } }
`,
    );
    await choose(page, 'notes.yaml', list);
    await report(page).getByText('What it becomes').click();
    await report(page).getByText('Tables: 1 of 2 lists').waitFor();
    const reasons = report(page).getByRole('list', { name: 'Lists that are not served as tables' });
    await reasons.getByText('nothing tells its entities apart').waitFor();
    await reasons.getByText('/paths/~1sums/get').waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);
    expect(offences).toStrictEqual([]);
  });

  it('says where the service URL stands that cannot be called', async () => {
    const { page } = await enter('/app/apis/register-api');
    await choose(page, 'notes.yaml', documentOf('Note'));
    await page.getByLabel('Service URL').fill('http://10.0.0.1');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('link', { name: 'Settings' }).click();
    const finding = page.locator('.finding', { hasText: 'The service URL in the settings · service-url' });
    await finding.getByText('10.0.0.1 is not an address of the Internet').waitFor();
  });

  it('saves a description', async () => {
    const { page, json } = await enter('/app/apis/register-api');
    await registerNotes(page);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Description').fill('What people write.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await json('/api/registry/Notes')).toMatchObject({ description: 'What people write.' });
  });

  it('shows what has changed when operations are fetched', async () => {
    const { page, project } = await enter('/app/apis/Posts/operations', await servePosts());
    await page.getByText('Lists all posts').waitFor();
    project.replace('openapi/posts.yaml', documentOf('Post').replace('Lists all posts', 'Lists every post'));
    await page.getByRole('button', { name: 'Fetch operations' }).click();
    await page.getByRole('heading', { name: 'Changed' }).waitFor();
    await page.getByText('Lists every post').waitFor();
    await page.getByRole('button', { name: 'Fetch operations' }).click();
    await page.getByText('Nothing has changed.').waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)('a change of an API', () => {
  const CHANGES = [
    ['fetch', 'operations', 'Fetch operations'],
    ['', 'settings', 'Save'],
    ['add', '', 'Add to project'],
    ['grant', 'access', 'Save'],
  ] as const;

  it.each(CHANGES)('shows what the gateway is doing while it lasts: %s', async (verb, tab, button) => {
    const { page, offences } = await enter('/app/apis/register-api');
    await registerNotes(page);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(new RegExp(`/api/registry/Notes${verb && `/${verb}`}$`), async (route) => {
      if (route.request().method() === 'GET') return route.continue();
      const { 'x-progress-id': id = 'none' } = route.request().headers();
      await page.route(`**/api/registry/$progress/${id}`, (asked) =>
        asked.fulfill({ json: { step: 'deriving' } }),
      );
      await released;
      return route.continue();
    });
    await page.goto(`/app/apis/Notes/${tab}`);
    if (verb === 'grant') await page.getByLabel('User may Insert Note').uncheck();
    if (verb === '') await page.getByLabel('Description').fill('Words');
    await page.getByRole('button', { name: button }).click();
    const progress = page.getByRole('status').getByRole('list', { name: 'Progress' });
    const step = progress.getByRole('listitem').and(page.locator('[aria-current=step]'));
    await step.getByText('Deriving the tables').waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);
    release();
    await progress.waitFor({ state: 'detached' });
    expect(offences).toStrictEqual([]);
  });
});

describe.skipIf(!HAS_BROWSER)('a project whose folder is read-only', () => {
  it('can be looked at, and says why nothing can be changed', async () => {
    const { page, project, offences } = await enter('/', await servePosts());
    chmodSync(project.directory, 0o555);
    await page.goto('/app/apis');
    await page.getByText('The folder of the project is read-only').waitFor();
    expect(await page.getByRole('link', { name: 'Register an API' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Posts Posts' }).click();
    await page.getByText('The folder of the project is read-only').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('There are no schema validation errors.').waitFor();
    chmodSync(project.directory, 0o755);
    expect(await page.locator('main :is(button, input)').count()).toBe(0);
    expect(await axeFindings(page)).toStrictEqual([]);
    expect(offences).toStrictEqual([]);
  });
});

describe.skipIf(!HAS_BROWSER)('the test console', () => {
  async function execute(page: Page): Promise<void> {
    await page
      .getByRole('button', { name: /get \/posts$/i })
      .first()
      .click();
    await page.getByRole('button', { name: 'Execute' }).click();
  }

  it('sends an operation as the gateway does, and shows what came of it', async () => {
    const requested = () => upstream.requests.filter(({ target }) => target === '/posts').length;
    const before = requested();
    const { page, offences } = await enter('/app/apis/Posts/console');
    await page.locator('.opblock').first().waitFor();
    expect(requested()).toBe(before);
    await execute(page);
    await page.getByText(/^Answered with 200 in [\d.]+ ms\.$/).waitFor();
    expect(upstream.requests.at(-1)).toMatchObject({ target: '/posts' });
    expect(upstream.requests.at(-1)?.headers).toMatchObject({ 'x-application-name': 'posts-app' });
    await page.locator('.trial').getByText('x-application-name: posts-app').first().waitFor();
    await page
      .locator('.trial')
      .getByText(/^curl /)
      .waitFor();
    await page.locator('.response-col_description').getByText('"A note"').first().waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);
    expect(offences).toStrictEqual([]);
  });

  it('says when the API does not answer', async () => {
    const { page } = await enter('/app/apis/Posts/console');
    await page.locator('.opblock').first().waitFor();
    upstream.behave((_, reply) => reply.reset());
    await execute(page);
    await page.getByText('The API did not answer').waitFor();
    await page.locator('.response-col_status').getByText('502').first().waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)('every page about APIs', () => {
  const PAGES = [
    ['/app/apis', 'a.api'],
    ['/app/apis/register-api', 'input[type=file]'],
    ['/app/apis/Posts', 'dl'],
    ['/app/apis/Posts/settings', '.banner'],
    ['/app/apis/Posts/operations', '.operation'],
    ['/app/apis/Posts/console', '.opblock'],
    ['/app/apis/Nowhere', '.notice'],
    ['/app/apis/Posts/nowhere', 'h1'],
  ] as const;

  it.each(PAGES)(
    '%s has nothing that axe finds, dark and light, narrow and wide, and fits',
    async (path, landmark) => {
      const { page, offences } = await browser.open(shared.gateway.url, FIRST_LOOK);
      await page.goto(path);
      await page.locator(landmark).first().waitFor();
      await expectFaultless(page);
      expect(offences).toStrictEqual([]);
    },
  );

  it('has its scripts where it is, and the console where that is', async () => {
    const { gateway } = await servePosts();
    const { page } = await browser.open(gateway.url);
    const loaded: string[] = [];
    page.on('response', (response) => {
      const [, name] = /assets\/([a-z-]+)-[\w-]+\.js$/.exec(response.url()) ?? [];
      if (name !== undefined) loaded.push(name);
    });
    await page.goto('/app/posts');
    await page.locator('a.item').first().waitFor();
    expect(loaded).toStrictEqual(['index']);
    await page.goto('/app/apis/Posts');
    await page.locator('dl').waitFor();
    expect(loaded).toStrictEqual(['index', 'index', 'apis-routes']);
    await page.getByRole('link', { name: 'Test console' }).click();
    await page.locator('.opblock').first().waitFor();
    expect(loaded).toStrictEqual(['index', 'index', 'apis-routes', 'console-tab']);
  });
});
