import { assertNode, enableCompileCache, exitWith } from './node-version.ts';

// Set before libraries are loaded, which run slower checks in development. The compile cache speeds up the
// next start.
process.env['NODE_ENV'] ??= 'production';
assertNode(exitWith);
enableCompileCache();
const { serve, startFailure } = await import('./serve.ts');

try {
  await serve(process.env);
} catch (error) {
  console.error(startFailure(error));
  process.exit(1);
}
