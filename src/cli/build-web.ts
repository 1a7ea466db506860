import { buildOnce } from './build-once.ts';

/**
 * Builds the screens of src/web into dist/web.
 *
 * `--optional`: logs a failed build and exits with 0, because the server works without the screens.
 */
const isBuilt = buildOnce({ title: 'the web screens', folder: 'src/web', output: 'dist/web', options: [] });
if (!isBuilt && process.argv.includes('--optional')) {
  console.error('The web screens are left out. To build them: npm run build');
} else if (!isBuilt) {
  process.exitCode = 1;
}
