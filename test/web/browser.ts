import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { hasChromium, launchChromium } from './chromium.ts';

declare global {
  interface Window {
    /** As the script of axe names itself. */
    readonly axe: typeof axe;
  }
}

export const HAS_BROWSER = hasChromium();
if (!HAS_BROWSER) console.warn('The screens are not tested: there is no Chromium.');

/** `SLOW_BROWSER=6` has pages run six times as slowly: what a test does too early then fails each time. */
const SLOWNESS = Number(process.env['SLOW_BROWSER'] ?? 1);

/** Latency of responses to a slowed page. */
const SLOW_LATENCY_MS = 50;

/** Shorter than a test's timeout, so that a missing element is reported by name. */
const PATIENCE_MS = SLOWNESS === 1 ? 20_000 : 60_000;

/** The appearance and permissions of a page. */
interface Look {
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly permissions?: readonly string[];
}

const VIEWPORT = { width: 1280, height: 720 };

/** A page that is watched. */
export interface WatchedPage {
  readonly page: Page;
  /** Violations by a page: of the content security policy, uncaught errors, and requests to other servers. */
  readonly offences: readonly string[];
}

export interface TestBrowser {
  /**
   * The page of a site, without what earlier tests have left there; paths are within the site. It is the only one:
   * what was open before is gone. What it has loaded before may still be in the browser's cache.
   */
  open(url: string, look?: Look): Promise<WatchedPage>;
}

/** The one page that all files of a worker use: to open a window takes more of a processor than most tests do in it. */
interface Tab {
  readonly page: Page;
  /** The base of relative paths. */
  site: string;
}

/** The browser that the files of a worker share: it ends with the process. */
let started: Promise<Browser> | undefined;
let tab: Tab | undefined;

/** Has a browser there before the tests of the file, and leaves their pages after them. */
export function useBrowser(): TestBrowser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (!HAS_BROWSER) return;
    browser = await started;
    if (browser?.isConnected() === true) return;
    started = launchChromium();
    browser = await started;
  });
  afterAll(() => tab?.page.goto('about:blank'));
  return {
    async open(url, look = {}) {
      if (browser === undefined) throw new Error('The browser has not been started.');
      const { page } = await tabOf(browser, url);
      await forget(page, url);
      await show(page, look);
      return { page, offences: watch(page, url) };
    },
  };
}

/** The tab, with nothing of interest in it; another one where it was closed. */
async function tabOf(browser: Browser, site: string): Promise<Tab> {
  if (tab === undefined || tab.page.isClosed()) {
    const context = await browser.newContext();
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    await slowDown(page);
    const opened: Tab = { page, site };
    const visit = page.goto.bind(page);
    page.goto = (path, options) => visit(new URL(path, opened.site).href, options);
    tab = opened;
  }
  tab.site = site;
  await leave(tab.page, site);
  return tab;
}

/**
 * Removes the listeners of a page, and opens a page of the site without scripts: an empty page would be in
 * another browsing context group and start a new process (HTML, Cross-Origin-Opener-Policy).
 */
async function leave(page: Page, site: string): Promise<void> {
  for (const event of ['pageerror', 'console', 'request', 'response']) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.goto(`${site}/health/live`);
}

/** Takes away what earlier pages kept, but for the cache: scripts need not be compiled again. */
async function forget(page: Page, url: string): Promise<void> {
  const context = page.context();
  await context.clearCookies();
  const session = await context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', {
    origin: new URL(url).origin,
    storageTypes: 'local_storage,indexeddb,service_workers',
  });
  await session.detach();
}

async function show(page: Page, { colorScheme = 'light', viewport, permissions }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport ?? VIEWPORT);
  await page.context().clearPermissions();
  if (permissions !== undefined) await page.context().grantPermissions([...permissions]);
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

/** From the one in which a page begins to the one that its user changes to. */
const LOOKS = [
  { colorScheme: 'dark', viewport: { width: 390, height: 800 } },
  { colorScheme: 'light', viewport: { width: 1200, height: 800 } },
] as const;

/** The look that {@link expectFaultless} begins with. */
export const [FIRST_LOOK] = LOOKS;

/** In each look, axe finds nothing wrong with the page, and the page is no wider than it is shown. */
export async function expectFaultless(page: Page): Promise<void> {
  for (const look of LOOKS) {
    await show(page, look);
    expect({ ...look, found: await axeFindings(page) }).toStrictEqual({ ...look, found: [] });
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    await expect.poll(width).toBeLessThanOrEqual(look.viewport.width);
  }
}

/** The findings of axe on the page, in short. The script is injected once per page. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(examine);
}

/** Runs in the page, when colors have changed that are about to: half-way they may be hard to read. */
async function examine(): Promise<readonly string[]> {
  await new Promise(requestAnimationFrame);
  const ending = document
    .getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
  await Promise.allSettled(ending.map(({ finished }) => finished));
  const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
