import { existsSync } from 'node:fs';

/** Where systems put the browser. */
const EXECUTABLES = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The one that is here; the first where there is none, which the browser's start then tells. */
export const EXECUTABLE = EXECUTABLES.find((path) => existsSync(path)) ?? EXECUTABLES[0] ?? '';
