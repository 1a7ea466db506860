import { startGateway } from '../../../src/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { countBodiesWithHeap } from '../../../src/server/server-limits.ts';
import { reportTo } from './meter.ts';

countBodiesWithHeap();
const { url } = await startGateway(readConfig(process.env));
reportTo(url);
