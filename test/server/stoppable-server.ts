import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '../../src/server/logger.ts';
import { createServer } from '../../src/server/server.ts';
import { exitOnSignal } from '../../src/server/shutdown.ts';

// A process of its own, because a signal stops all of one. Its first line says the port.
const log = createLogger({ level: 'warn' });
const server = createServer({
  landing: () => ({
    title: '',
    description: '',
    access: 'anonymous',
    links: [],
    entitySets: [],
    apis: [],
    queries: [],
  }),
  parts: [
    {
      path: '/slow',
      handler: async () => {
        await delay(20);
        return { status: 200, headers: {}, body: 'x'.repeat(10_000) };
      },
    },
    { path: '/never', handler: () => new Promise(() => {}) },
  ],
  log,
  limits: { leaveMs: 1_000, graceMs: 1_000 },
});
const { port } = await server.listen('127.0.0.1', 0);
console.log(port);
exitOnSignal(() => server.close(), log);
