import nodeModule from 'node:module';

/**
 * Gives Node 20 what the gateway takes from the language as Node 22 has it. It is to be imported before anything
 * that needs it, in every thread; from Node 22 on it does nothing.
 */
if (!('rawJSON' in JSON)) {
  await import('core-js/actual/json/index.js');
  await import('core-js/actual/iterator/index.js');
  await import('core-js/actual/map/group-by.js');
  await import('core-js/actual/url/parse.js');
}

/** Has what a start has compiled found compiled by the next one, where Node can (from 22.1 on). */
export function enableCompileCache(): void {
  nodeModule.enableCompileCache?.();
}
