import { join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';
import { EXECUTABLE } from './support/chromium.ts';

const needsBrowser = 'test/clients/ui5/**';
// Where everything is checked, they fail.
const isLeftOut = EXECUTABLE === undefined && process.env['CI'] === undefined;
if (isLeftOut) console.warn('UI5 is not tested: there is no Chromium.');

/** Clients that people use, which are packages of a folder of their own: `npm run test:clients`. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [] } },
  {
    root: join(import.meta.dirname, '../..'),
    test: {
      include: ['test/clients/*/*.test.ts'],
      exclude: isLeftOut ? [needsBrowser] : [],
    },
  },
);
