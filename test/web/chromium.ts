import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The usual paths of the browser. */
const EXECUTABLES = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Nothing of the browser's own goes over the network. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // None is started for pages that may come.
  '--renderer-process-limit=1',
];

const executable = EXECUTABLES.find((path) => existsSync(path));

export function hasChromium(): boolean {
  return executable !== undefined;
}

/** Starts the browser of the system. */
export function launchChromium(): Promise<Browser> {
  if (executable === undefined)
    throw new Error(`There is no Chromium. Looked for: ${EXECUTABLES.join(', ')}`);
  return chromium.launch({ executablePath: executable, args: ARGUMENTS });
}
