import { assertNode, enableCompileCache, exitWith } from './node-version.ts';

// Before anything else is loaded: libraries check more, and slower, in development; and what a start has
// compiled, the next one finds compiled.
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
