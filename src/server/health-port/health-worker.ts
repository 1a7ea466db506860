import { createServer, type Server, type ServerResponse } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { jsonResponse } from '../json-response.ts';
import { type HealthOrder, type HealthOutcome, Pulse } from './health-port.ts';

/** An event loop that is held for longer will not be free again: the process has to be started anew. */
const SILENCE_MS = 10_000;

const { host, port, memory }: HealthOrder = workerData;
const pulse = new Pulse(memory);

/** The status and what it says, by path. */
const STATES: Readonly<Record<string, () => readonly [status: number, said: string]>> = {
  '/health/live': () => (pulse.silence < SILENCE_MS ? [200, 'live'] : [503, 'silent']),
  '/health/ready': () => {
    if (pulse.silence >= SILENCE_MS) return [503, 'silent'];
    const isServing = pulse.readiness === 'ready' || pulse.readiness === 'degraded';
    return [isServing ? 200 : 503, pulse.readiness];
  },
};

const server = createServer(({ method, url = '' }, response) => {
  const state = STATES[url.replace(/\?.*$/s, '')];
  if (method !== 'GET' && method !== 'HEAD')
    answer(response, 405, 'Only GET is allowed here.', { allow: 'GET, HEAD' });
  else if (state === undefined) answer(response, 404, 'Only /health/live and /health/ready are served here.');
  else answer(response, ...state());
});

listen(server);

function answer(
  response: ServerResponse,
  statusCode: number,
  status: string,
  fields: Readonly<Record<string, string>> = {},
): void {
  const { headers, body } = jsonResponse(statusCode, { status });
  response.writeHead(statusCode, { ...headers, ...fields }).end(body);
}

function listen(opened: Server): void {
  const tell = (outcome: HealthOutcome): void => parentPort?.postMessage(outcome);
  opened.once('error', (error: NodeJS.ErrnoException) =>
    tell({ kind: 'failure', message: error.message, code: error.code }),
  );
  opened.listen(port, host, () => {
    const address = opened.address();
    if (address !== null && typeof address === 'object') tell({ kind: 'listening', port: address.port });
  });
}
