import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { hasChromium, launchChromium } from './chromium.ts';

export const HAS_BROWSER = hasChromium();
if (!HAS_BROWSER) console.warn('The screens are not tested: there is no Chromium.');

/** Shorter than a test may take: what is not there on the page is told, with its name. */
const PATIENCE_MS = 20_000;

type ContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>;

/** A page that is watched. */
export interface WatchedPage {
  readonly page: Page;
  /** What a page must never do: break the content security policy, throw, or ask another server for something. */
  readonly offences: readonly string[];
}

export interface TestBrowser {
  /** A page with cookies and storage of its own. */
  open(url: string, options?: ContextOptions): Promise<WatchedPage>;
}

/** Starts the browser before the tests of the file, and stops it after them. */
export function useBrowser(): TestBrowser {
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];
  beforeAll(async () => {
    if (HAS_BROWSER) browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  return {
    async open(url, options = {}) {
      if (browser === undefined) throw new Error('The browser has not been started.');
      for (const context of contexts.splice(0)) await context.close();
      const context = await browser.newContext({ baseURL: url, ...options });
      context.setDefaultTimeout(PATIENCE_MS);
      contexts.push(context);
      const page = await context.newPage();
      return { page, offences: watch(page, url) };
    },
  };
}

function watch(page: Page, url: string): readonly string[] {
  const offences: string[] = [];
  page.on('pageerror', (error) => offences.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) offences.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${url}/`)) {
      offences.push(`a request to ${request.url()}`);
    }
  });
  return offences;
}

/** What axe finds wrong with the page, in short. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
