import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Deviations } from '../contract/deviations.ts';
import { pathOf } from '../contract/exchange.ts';
import type { ReadCounts } from '../contract/read-counts.ts';
import { assertGet, notFound } from './health.ts';
import { atClose } from './http-server.ts';
import { droppedLines } from './logger.ts';
import { metricsReader } from './metrics-reader.ts';
import type { ListenerRoute } from './route.ts';

/** The metrics of the server, for Prometheus. */
export interface Metrics {
  /** Counts the requests of a route, and the outcome of each. */
  observerOf(path: string): (request: IncomingMessage, response: ServerResponse) => void;
  write(): Promise<string>;
  readonly contentType: string;
}

/** Histogram buckets in seconds, from a 304 to a slow upstream. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const METHODS: ReadonlySet<string> = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/** The number of responses of a route by method and status. */
interface Count {
  readonly part: string;
  readonly method: string;
  readonly status: number;
  value: number;
}

/**
 * Labels have few values: paths of routes, known methods, statuses. Simple counters are kept outside the
 * library and copied on request, because its labels cost more than everything else per request.
 */
export function createMetrics(
  deviations: Pick<Deviations, 'counts'>,
  reads: Pick<ReadCounts, 'counts' | 'contradictions'>,
  isProjectRefused: () => boolean,
): Metrics {
  const register = new Registry();
  const registers = [register];
  const counts = new Map<string, Count>();
  let underWay = 0;
  collectDefaultMetrics({ register });
  new Counter({
    name: 'duogate_http_requests_total',
    help: 'Requests that were answered, by part, method and status; status 0: the client was gone.',
    labelNames: ['part', 'method', 'status'] as const,
    registers,
    collect() {
      this.reset();
      for (const { part, method, status, value } of counts.values())
        this.inc({ part, method, status }, value);
    },
  });
  new Gauge({
    name: 'duogate_http_requests_in_flight',
    help: 'Requests that are not answered yet.',
    registers,
    collect() {
      this.set(underWay);
    },
  });
  new Gauge({
    name: 'duogate_project_refused',
    help: "1 if the project's files have changed and cannot be served, so that the earlier service stays.",
    registers,
    collect() {
      this.set(isProjectRefused() ? 1 : 0);
    },
  });
  new Counter({
    name: 'duogate_log_lines_dropped_total',
    help: 'Lines of the log that were dropped: the disk was full, or the reader slow.',
    registers,
    collect() {
      this.reset();
      this.inc(droppedLines());
    },
  });
  new Counter({
    name: 'duogate_upstream_deviations_total',
    help: 'Values of upstreams that are not what their documents say, by source and property.',
    labelNames: ['source', 'property'] as const,
    registers,
    collect() {
      this.reset();
      for (const { source, property, value } of deviations.counts()) this.inc({ source, property }, value);
    },
  });
  new Counter({
    name: 'duogate_upstream_reads_total',
    help: 'Calls of upstreams that read entities, by entity set or singleton.',
    labelNames: ['resource'] as const,
    registers,
    collect() {
      this.reset();
      for (const { resource, calls } of reads.counts()) this.inc({ resource }, calls);
    },
  });
  new Counter({
    name: 'duogate_kept_reads_total',
    help: 'Reads of entities that were answered by answers that are kept, by entity set or singleton.',
    labelNames: ['resource'] as const,
    registers,
    collect() {
      this.reset();
      for (const { resource, kept } of reads.counts()) this.inc({ resource }, kept);
    },
  });
  new Counter({
    name: 'duogate_upstream_rows_total',
    help: 'Rows that were read from upstreams, by entity set or singleton.',
    labelNames: ['resource'] as const,
    registers,
    collect() {
      this.reset();
      for (const { resource, rows } of reads.counts()) this.inc({ resource }, rows);
    },
  });
  new Counter({
    name: 'duogate_parameter_contradictions_total',
    help: 'Parameters of lists that answers have contradicted, which are not used any more, by source.',
    labelNames: ['source'] as const,
    registers,
    collect() {
      this.reset();
      for (const [source, count] of reads.contradictions()) this.inc({ source }, count);
    },
  });
  const durations = new Histogram({
    name: 'duogate_http_request_duration_seconds',
    help: 'From the header fields of a request to the end of its answer.',
    labelNames: ['part'] as const,
    buckets: BUCKETS,
    registers,
  });
  return {
    observerOf(path) {
      const part = path === '' ? '/' : path;
      const duration = durations.labels(part);
      return (request, response) => {
        const startedAt = performance.now();
        underWay += 1;
        atClose(response, () => {
          underWay -= 1;
          count(counts, part, request.method, response.writableFinished ? response.statusCode : 0);
          duration.observe((performance.now() - startedAt) / 1000);
        });
      };
    },
    write: () => register.metrics(),
    contentType: register.contentType,
  };
}

function count(
  counts: Map<string, Count>,
  part: string,
  requestMethod: string | undefined,
  status: number,
): void {
  const method = METHODS.has(requestMethod ?? '') ? String(requestMethod) : 'other';
  const key = `${part} ${method} ${status}`;
  const known = counts.get(key);
  if (known === undefined) counts.set(key, { part, method, status, value: 1 });
  else known.value += 1;
}

const PATH = '/metrics';

/** `/metrics`, for requests from these addresses or networks; others get a 404. */
export function metricsRoute(metrics: Metrics, readers: readonly string[]): ListenerRoute {
  const isReader = metricsReader(readers);
  return {
    path: PATH,
    open: true,
    listener: async (request, response) => {
      if (!isReader(request) || pathOf(request.url ?? '') !== PATH) throw notFound();
      assertGet({ method: request.method === 'HEAD' ? 'GET' : (request.method ?? '') });
      const text = await metrics.write();
      response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' }).end(text);
    },
  };
}
