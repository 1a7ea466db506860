import { createServer, type Server, type ServerResponse } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { jsonResponse } from '../json-response.ts';
import { metricsReader } from '../metrics-reader.ts';
import {
  type HealthOrder,
  type HealthOutcome,
  type MetricsRequest,
  type MetricsText,
  Pulse,
} from './health-port.ts';

/** An event loop that is blocked for longer will not recover: the process has to be restarted. */
const SILENCE_MS = 10_000;

const { host, port, memory, metricsReaders }: HealthOrder = workerData;
const pulse = new Pulse(memory);

/** The status and text by path. */
const STATES: Readonly<Record<string, () => readonly [status: number, said: string]>> = {
  '/health/live': () => (pulse.silence < SILENCE_MS ? [200, 'live'] : [503, 'silent']),
  '/health/ready': () => {
    if (pulse.silence >= SILENCE_MS) return [503, 'silent'];
    const isServing = pulse.readiness === 'ready' || pulse.readiness === 'degraded';
    return [isServing ? 200 : 503, pulse.readiness];
  },
};

const isMetricsReader = metricsReaders === undefined ? () => false : metricsReader(metricsReaders);

const server = createServer((request, response) => {
  const { method, url = '' } = request;
  const path = url.replace(/\?.*$/s, '');
  const state = STATES[path];
  if (method !== 'GET' && method !== 'HEAD')
    answer(response, 405, 'Only GET is allowed here.', { allow: 'GET, HEAD' });
  else if (path === '/metrics' && isMetricsReader(request)) answerMetrics(response);
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

/** Responses that wait for the metrics, by request number. */
const waiting = new Map<number, ServerResponse>();
let requests = 0;

function answerMetrics(response: ServerResponse): void {
  if (waiting.size >= MOST_WAITING) {
    answer(response, 503, 'Too many requests wait for the metrics.');
    return;
  }
  requests += 1;
  const number = requests;
  waiting.set(number, response);
  response.once('close', () => waiting.delete(number));
  parentPort?.postMessage({ kind: 'metrics', number } satisfies MetricsRequest);
}

const MOST_WAITING = 16;

parentPort?.on('message', ({ number, metrics }: MetricsText) => {
  const response = waiting.get(number);
  if (response === undefined) return;
  if (metrics === undefined) answer(response, 500, 'The metrics cannot be written.');
  else
    response
      .writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' })
      .end(metrics.text);
});

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
