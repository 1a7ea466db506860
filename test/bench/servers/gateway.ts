import { startGateway } from '../../../src/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { reportTo } from './meter.ts';

const { url } = await startGateway(readConfig(process.env));
reportTo(url);
