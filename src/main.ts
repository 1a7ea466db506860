import { enableCompileCache } from 'node:module';

// A thousand modules are compiled at the start: the next start finds them compiled, if it comes after this.
enableCompileCache();
const { startGateway } = await import('./app.ts');
const { readConfig } = await import('./config/config.ts');
const { exitOnSignal } = await import('./server/shutdown.ts');

try {
  const gateway = await startGateway(readConfig(process.env));
  exitOnSignal(gateway.close, gateway.log);
} catch (error) {
  // An AggregateError lists the operator's mistakes; where ours are is in the stack.
  console.error(error instanceof AggregateError ? error.message : error);
  process.exit(1);
}
