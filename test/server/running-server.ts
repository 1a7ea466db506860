import { onTestFinished } from 'vitest';
import type { GatewayRequest, GatewayResponse } from '../../src/contract/exchange.ts';
import type { Landing } from '../../src/contract/landing.ts';
import { UNRESTRICTED } from '../../src/contract/principal.ts';
import { createLogger } from '../../src/server/logger.ts';
import type { HandlerRoute, Route } from '../../src/server/route.ts';
import { createServer, type GatewayServer, type ServerOptions } from '../../src/server/server.ts';

export const EMPTY_LANDING: Landing = {
  title: '',
  description: '',
  access: 'anonymous',
  links: [],
  entitySets: [],
  apis: [],
  queries: [],
};

export interface RunningServer {
  readonly port: number;
  readonly url: string;
  readonly server: GatewayServer;
  /** The entries of the log so far. */
  readonly entries: () => readonly Record<string, unknown>[];
  /** The log's lines as they were written. */
  readonly lines: readonly string[];
}

export interface TestServerOptions extends Partial<Omit<ServerOptions, 'parts' | 'log'>> {
  readonly logLevel?: string;
}

/** Starts a server on a free port and stops it at the end of the test. Everybody may do everything. */
export async function runServer(
  parts: readonly Route[],
  options: TestServerOptions = {},
): Promise<RunningServer> {
  const { logLevel = 'info', limits, ...rest } = options;
  const lines: string[] = [];
  const log = createLogger({ level: logLevel, destination: { write: (line) => lines.push(line) } });
  const server = createServer({
    landing: () => EMPTY_LANDING,
    authenticate: () => UNRESTRICTED,
    routes: parts,
    log,
    limits: { graceMs: 100, ...limits },
    ...rest,
  });
  onTestFinished(() => server.close());
  const { port } = await server.listen('127.0.0.1', 0);
  const entries = (): readonly Record<string, unknown>[] => lines.map((line) => JSON.parse(line));
  return { port, url: `http://127.0.0.1:${port}`, server, entries, lines };
}

export function text(body: string, status = 200): GatewayResponse {
  return { status, headers: { 'content-type': 'text/plain' }, body };
}

/** Answers with what it was asked, byte for byte. */
export function echo(request: GatewayRequest): GatewayResponse {
  const body = request.body === undefined ? undefined : Buffer.from(request.body).toString('latin1');
  const requested = JSON.stringify({ method: request.method, target: request.target, body });
  return { ...text(''), body: Buffer.from(requested, 'latin1') };
}

/** A part with errors in a shape of its own. */
export function protocolPart(handler: HandlerRoute['handler'] = echo): HandlerRoute {
  return {
    path: '/odata',
    maxBodyBytes: 10,
    handler,
    errorResponse: (error) => text(`protocol: ${error.code}: ${error.message}`, error.status),
  };
}
