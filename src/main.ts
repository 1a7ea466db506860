import { startGateway } from './app.ts';
import { readConfig } from './config/config.ts';
import { exitOnSignal } from './server/shutdown.ts';

try {
  const gateway = await startGateway(readConfig(process.env));
  exitOnSignal(gateway.close, gateway.log);
} catch (error) {
  // An AggregateError lists the operator's mistakes; where ours are is in the stack.
  console.error(error instanceof AggregateError ? error.message : error);
  process.exit(1);
}
