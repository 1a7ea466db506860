import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { startSampleUpstream } from '../../src/demo/sample-upstream.ts';
import { launchChromium } from './chromium.ts';

/**
 * Makes the pictures of the screens in docs/screens anew: `node test/web/screenshots.ts`, after `npm run build`.
 * They show the sample posts, to whoever may do everything.
 */

const FOLDER = join(import.meta.dirname, '../../docs/screens');

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly colorScheme: 'light' | 'dark';
  /** It is taken when this is there. */
  readonly landmark: string;
  readonly prepare?: (page: Page) => Promise<void>;
}

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
];

async function runQuery(page: Page): Promise<void> {
  await page.getByRole('button', { name: /how many there are/ }).click();
  await page.locator('.answer-text').waitFor();
}

const upstream = await startSampleUpstream();
const gateway = await startGateway(
  readConfig({ AUTH: 'off', PORT: '0', LOG_LEVEL: 'silent', UPSTREAM_URL: upstream.url }),
);
const browser = await launchChromium();
mkdirSync(FOLDER, { recursive: true });
for (const { name, path, colorScheme, landmark, prepare } of PICTURES) {
  const page = await browser.newPage({
    baseURL: gateway.url,
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
await upstream.close();
