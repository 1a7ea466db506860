import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { hasChromium, launchChromium } from './chromium.ts';

export const HAS_BROWSER = hasChromium();
if (!HAS_BROWSER) console.warn('The screens are not tested: there is no Chromium.');

/** `SLOW_BROWSER=6` has pages run six times as slowly: what a test does too early then fails each time. */
const SLOWNESS = Number(process.env['SLOW_BROWSER'] ?? 1);

/** How long an answer takes to a page that is slowed down. */
const SLOW_LATENCY_MS = 50;

/** Shorter than a test may take: what is not there on the page is told, with its name. */
const PATIENCE_MS = SLOWNESS === 1 ? 20_000 : 60_000;

type ContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>;

/** A page that is watched. */
export interface WatchedPage {
  readonly page: Page;
  /** What a page must never do: break the content security policy, throw, or ask another server for something. */
  readonly offences: readonly string[];
}

export interface TestBrowser {
  /** A page without cookies and storage. What the pages before it loaded may still be in the browser's cache. */
  open(url: string, options?: ContextOptions): Promise<WatchedPage>;
}

/** The browser that the files of a worker share: it ends with the process. */
let started: Promise<Browser> | undefined;

/** Has a browser there before the tests of the file, and closes their pages after them. */
export function useBrowser(): TestBrowser {
  let browser: Browser | undefined;
  let opened: OpenedContexts | undefined;
  beforeAll(async () => {
    if (!HAS_BROWSER) return;
    browser = await started;
    if (browser?.isConnected() === true) return;
    started = launchChromium();
    browser = await started;
  });
  afterAll(async () => {
    for (const context of opened?.byOptions.values() ?? []) await context.close();
  });
  return {
    async open(url, options = {}) {
      if (browser === undefined) throw new Error('The browser has not been started.');
      if (opened?.url !== url) {
        for (const context of opened?.byOptions.values() ?? []) await context.close();
        opened = { url, byOptions: new Map() };
      }
      const asked = JSON.stringify(options);
      const context = opened.byOptions.get(asked) ?? (await browser.newContext({ baseURL: url, ...options }));
      opened.byOptions.set(asked, context);
      context.setDefaultTimeout(PATIENCE_MS);
      const earlier = [...opened.byOptions.values()].flatMap((each) => each.pages());
      // Beside an earlier one it is a tab of the same window: a window costs as much as a page does.
      const page = await context.newPage();
      for (const each of earlier) await each.close();
      await forget(context, page, url);
      await slowDown(page);
      return { page, offences: watch(page, url) };
    },
  };
}

/** The cookies, storage and caches of the pages of one site, by the options that they were made with, as JSON. */
interface OpenedContexts {
  readonly url: string;
  readonly byOptions: Map<string, BrowserContext>;
}

/** Takes away what earlier pages kept, but for the cache: scripts need not be compiled again. */
async function forget(context: BrowserContext, page: Page, url: string): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', {
    origin: new URL(url).origin,
    storageTypes: 'cookies,local_storage,indexeddb,service_workers',
  });
  await session.detach();
}

/** Has the page run as slowly as `SLOW_BROWSER` says, for as long as it is open. */
export async function slowDown(page: Page): Promise<void> {
  if (SLOWNESS === 1) return;
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWNESS });
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: SLOW_LATENCY_MS,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
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

/** What axe finds wrong with the page, in short. No page has frames of other origins, for which it would open pages of its own. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await axe.analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
