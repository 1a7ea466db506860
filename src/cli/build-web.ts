import { buildOnce } from './build-once.ts';

/**
 * Builds the screens of src/web into dist/web.
 *
 * `--optional`: without them the server serves all else, so a failure is told and is none.
 */
const isBuilt = buildOnce({ title: 'the web screens', folder: 'src/web', output: 'dist/web', options: [] });
if (!isBuilt && process.argv.includes('--optional')) {
  console.error('The web screens are left out. To build them: npm run build');
} else if (!isBuilt) {
  process.exitCode = 1;
}
