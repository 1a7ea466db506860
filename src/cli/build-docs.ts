import { DOCS_BASE } from '../server/docs-files.ts';
import { buildOnce } from './build-once.ts';

/** Builds the pages of docs into dist/docs. A broken link fails the build. */
const isBuilt = buildOnce({
  title: 'the documentation',
  folder: 'docs',
  output: 'dist/docs',
  options: ['--base', DOCS_BASE, '--outDir', '../dist/docs'],
});
if (!isBuilt) process.exitCode = 1;
