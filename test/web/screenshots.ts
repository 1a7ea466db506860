import { randomBytes } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { startSampleUpstream } from '../../src/demo/sample-upstream.ts';
import { launchChromium } from './chromium.ts';

/**
 * Updates the screenshots in docs/screens: `node test/web/screenshots.ts`, after `npm run build`. They show
 * the sample posts without access control, or for a new user.
 */

const FOLDER = join(import.meta.dirname, '../../docs/screens');

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly colorScheme: 'light' | 'dark';
  /** The text that has to be on the page before the screenshot is taken. */
  readonly landmark: string;
  /** True for a gateway with accounts. */
  readonly hasAccounts?: true;
  readonly prepare?: (page: Page) => Promise<void>;
}

const FIRST_POSTS = `{
  posts(take: 3, order: [{ title: ASC }]) {
    id
    title
  }
}
`;

const PICTURES: readonly Picture[] = [
  { name: 'landing', path: '/', colorScheme: 'light', landmark: '.tile', prepare: runQuery },
  { name: 'posts', path: '/app/posts', colorScheme: 'light', landmark: 'a.item' },
  {
    name: 'post-by-id',
    path: '/app/posts/post-by-id?postId=1',
    colorScheme: 'dark',
    landmark: 'textarea',
  },
  { name: 'api-settings', path: '/app/apis/Posts/settings', colorScheme: 'light', landmark: '.set' },
  { name: 'api-access', path: '/app/apis/Posts/access', colorScheme: 'light', landmark: 'table' },
  {
    name: 'graphiql',
    path: `/graphql?query=${encodeURIComponent(FIRST_POSTS)}`,
    colorScheme: 'light',
    landmark: '.graphiql-execute-button',
    prepare: runInGraphiQL,
  },
  connectPicture('connect', 'curl'),
  connectPicture('connect-excel', 'Excel'),
  connectPicture('connect-power-bi', 'Power BI'),
];

/** The card of a program, for a set and with a key of a new user. */
function connectPicture(name: string, program: string): Picture {
  return {
    name,
    path: '/app/sign-up',
    colorScheme: 'light',
    landmark: 'form',
    hasAccounts: true,
    async prepare(page) {
      await page.getByLabel('Name').fill('Ada Reader');
      await page.getByLabel('E-mail').fill(`${name}@example.com`);
      await page.getByLabel('Password').fill(randomBytes(12).toString('base64url'));
      await page.getByRole('button', { name: 'Sign up' }).click();
      await page.getByRole('link', { name: 'Connect Post' }).click();
      await page.getByRole('button', { name: program, exact: true }).click();
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.locator('.secret').waitFor();
    },
  };
}

async function runInGraphiQL(page: Page): Promise<void> {
  await page.locator('.graphiql-execute-button').click();
  await page.locator('.result-window', { hasText: 'title' }).waitFor();
}

async function runQuery(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^The first five, and/ }).click();
  await page.locator('.answer-text').waitFor();
}

const upstream = await startSampleUpstream();
const environment = { PORT: '0', LOG_LEVEL: 'silent', UPSTREAM_URL: upstream.url };
const accounts = { AUTH_SECRET: randomBytes(32).toString('base64url'), DATABASE_URL: ':memory:' };
const gateway = await startGateway(readConfig({ ...environment, AUTH: 'off' }));
const guarded = await startGateway(readConfig({ ...environment, ...accounts }));
const browser = await launchChromium();
mkdirSync(FOLDER, { recursive: true });
for (const { name, path, colorScheme, landmark, hasAccounts, prepare } of PICTURES) {
  const page = await browser.newPage({
    baseURL: (hasAccounts ? guarded : gateway).url,
    colorScheme,
    viewport: { width: 1080, height: 760 },
  });
  await page.goto(path);
  await page.locator(landmark).first().waitFor();
  await prepare?.(page);
  const file = join(FOLDER, `${name}.png`);
  await page.screenshot({ path: file });
  console.log(`${file}: ${Math.round(statSync(file).size / 1024)} KB`);
}
await browser.close();
await gateway.close();
await guarded.close();
await upstream.close();
