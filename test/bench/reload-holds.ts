import { createProject, sourceOf } from '../support/temporary-project.ts';
import { largeDocument } from './large-document.ts';
import { type MeteredServer, startServer } from './metered-server.ts';

/**
 * Replaces a document as large as GitHub's while it is served, and prints how long the gateway held its event loop at a
 * stretch meanwhile, in milliseconds of processor time, and how long it took until the new document was served.
 */

const MUST = 200;
const TIMES = 4;
/** A document that cannot be served is not waited for any longer. */
const LONGEST_MS = 120_000;

await main();

async function main(): Promise<void> {
  const ends: (() => void | Promise<void>)[] = [];
  const document = largeDocument();
  const files = {
    'api.json': document,
    '.meshrc.yaml': `sources:\n${sourceOf('Api', './api.json', 'http://127.0.0.1:9')}`,
  };
  const project = createProject(files, (stop) => void ends.unshift(stop));
  const gateway = await startServer('gateway', {
    AUTH: 'off',
    PORT: '0',
    LOG_LEVEL: 'error',
    MESH_CONFIG: project.path('.meshrc.yaml'),
  });
  try {
    for (let time = 1; time <= TIMES; time += 1) {
      await gateway.longestHold();
      const started = performance.now();
      project.replace('api.json', document.replaceAll('/resource-as', `/version${time}s`));
      await isServed(gateway, `/version${time}s`);
      const seconds = (performance.now() - started) / 1000;
      const held = await gateway.longestHold();
      const verdict = held <= MUST ? 'reached' : 'MISSED';
      console.log(
        `reload ${time}: held for ${held.toFixed(0)} ms: ${verdict}; served after ${seconds.toFixed(1)} s`,
      );
    }
  } finally {
    await gateway.stop();
    for (const stop of ends) await stop();
  }
}

/** Waits until the path is that of an entity set. */
async function isServed({ url }: MeteredServer, path: string): Promise<void> {
  const set = path.slice(1).toLowerCase();
  const until = performance.now() + LONGEST_MS;
  while (performance.now() < until) {
    const answer = await fetch(`${url}/odata`);
    if ((await answer.text()).toLowerCase().includes(set)) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`${set} is not served`);
}
