import { reportTo } from './meter.ts';

/** The gateway as it is published: the bundle that `src/cli/build-lib.ts` makes. */
const bundle = new URL('../../../lib/bundle/duogate.js', import.meta.url).href;
const { readConfig, startGateway }: typeof import('../../../src/duogate.ts') = await import(bundle);
const { url } = await startGateway(readConfig(process.env));
reportTo(url);
