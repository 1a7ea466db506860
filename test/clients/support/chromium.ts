import { existsSync } from 'node:fs';

/** The usual paths of the browser. */
const EXECUTABLES = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The one that is here. */
export const EXECUTABLE = EXECUTABLES.find((path) => existsSync(path));
