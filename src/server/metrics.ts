import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What the server counts, for Prometheus. */
export interface Metrics {
  /** Counts a request that a part has begun to serve, and what becomes of it. `path` is the part's. */
  observe(path: string, request: IncomingMessage, response: ServerResponse): void;
  /** All figures in the text format of Prometheus. */
  write(): Promise<string>;
  readonly contentType: string;
}

/** From a 304 to an upstream that takes its time, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const METHODS: ReadonlySet<string> = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/** Labels have few values whatever is asked for: a part's path, a method that parts know, a status. */
export function createMetrics(): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const requests = new Counter({
    name: 'duogate_http_requests_total',
    help: 'Requests that were answered, by part, method and status; status 0: the client was gone.',
    labelNames: ['part', 'method', 'status'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'duogate_http_request_duration_seconds',
    help: 'From the header fields of a request to the end of its answer.',
    labelNames: ['part'] as const,
    buckets: BUCKETS,
    registers,
  });
  const underWay = new Gauge({
    name: 'duogate_http_requests_in_flight',
    help: 'Requests that are not answered yet.',
    registers,
  });
  return {
    observe(path, request, response) {
      const startedAt = performance.now();
      const part = path === '' ? '/' : path;
      const method = METHODS.has(request.method ?? '') ? String(request.method) : 'other';
      underWay.inc();
      response.once('close', () => {
        const status = response.writableFinished ? response.statusCode : 0;
        underWay.dec();
        requests.inc({ part, method, status });
        durations.observe({ part }, (performance.now() - startedAt) / 1000);
      });
    },
    write: () => register.metrics(),
    contentType: register.contentType,
  };
}
