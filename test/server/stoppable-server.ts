import { setTimeout as delay } from 'node:timers/promises';
import { createLogger, droppedLines } from '../../src/server/logger.ts';
import { createServer } from '../../src/server/server.ts';
import { exitOnSignal } from '../../src/server/shutdown.ts';

// A process of its own, because a signal stops all of one. Its messages say the port, and that it has been asked.
/** Long enough for what the tests do meanwhile where the machine is busy. */
const LEAVE_MS = Number(process.argv[2]);

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
  routes: [
    {
      path: '/slow',
      handler: async () => {
        await delay(20);
        return { status: 200, headers: {}, body: 'x'.repeat(10_000) };
      },
    },
    {
      path: '/log',
      handler: async () => {
        for (let line = 0; line < 1_000; line += 1) log.warn({ line }, 'x'.repeat(2_000));
        // Writing has begun when the response is sent.
        await delay(300);
        return { status: 200, headers: {}, body: String(droppedLines()) };
      },
    },
    {
      path: '/never',
      handler: () => {
        process.send?.('asked');
        return new Promise(() => {});
      },
    },
  ],
  log,
  limits: { graceMs: 1_000 },
});
const { port } = await server.listen('127.0.0.1', 0);
exitOnSignal({ close: () => server.close(LEAVE_MS), look: () => undefined }, log);
process.send?.(port);
