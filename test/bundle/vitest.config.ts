import { join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';
import { EXCLUDED, MIXED } from './excluded.ts';

const ROOT = join(import.meta.dirname, '../..');
const BUNDLE = join(ROOT, 'lib/bundle/duogate.js');

/** Modules that tests start a gateway by, and their replacements. The bundle has its own thread for documents. */
const REPLACED: readonly (readonly [RegExp, { readonly id: string; readonly external: boolean }])[] = [
  [/\/src\/(?:app|config\/config)\.ts$/, { id: BUNDLE, external: true }],
  [/\/shared-examiner\.ts$/, { id: join(import.meta.dirname, 'own-examiner.ts'), external: false }],
];

/** Tests of the whole gateway, against the files that are shipped instead of the sources. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [] } },
  {
    root: ROOT,
    plugins: [
      {
        name: 'bundle-under-test',
        enforce: 'pre',
        resolveId: (id: string, importer = '') =>
          importer.startsWith(join(ROOT, 'test'))
            ? REPLACED.find(([pattern]) => pattern.test(id))?.[1]
            : undefined,
      },
    ],
    test: {
      include: ['test/{odata,graphql,auth,registry}/**/*.test.ts'],
      exclude: [...Object.values(EXCLUDED).flat(), ...MIXED],
      // Run as it is, not transformed.
      server: { deps: { external: [/\/lib\/bundle\//] } },
      env: { DUOGATE_UNDER_TEST: 'bundle' },
      globalSetup: join(ROOT, 'test/reliability/bundle.setup.ts'),
    },
  },
);
