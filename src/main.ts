import { enableCompileCache } from './node-20.ts';

// Before anything else is loaded: libraries check more, and slower, in development; and what a start has
// compiled, the next one finds compiled.
process.env['NODE_ENV'] ??= 'production';
enableCompileCache();
const { startGateway } = await import('./app.ts');
const { readConfig } = await import('./config/config.ts');
const { countBodiesWithHeap } = await import('./server/collection-limit.ts');
const { exitOnSignal } = await import('./server/shutdown.ts');

countBodiesWithHeap();
try {
  const gateway = await startGateway(readConfig(process.env));
  exitOnSignal(gateway.close, gateway.log);
} catch (error) {
  // An AggregateError lists the operator's mistakes; where ours are is in the stack.
  console.error(error instanceof AggregateError ? error.message : error);
  process.exit(1);
}
