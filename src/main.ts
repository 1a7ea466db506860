import { startGateway } from './app.ts';
import { readConfig } from './config/config.ts';
import { exitOnSignal } from './server/shutdown.ts';

const gateway = await startGateway(readConfig(process.env));
exitOnSignal(gateway.close, gateway.log);
