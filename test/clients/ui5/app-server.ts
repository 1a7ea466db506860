import { once } from 'node:events';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Demo } from '../support/demo.ts';

/** UI5's modules, as they come from npm. */
const UI5 = join(import.meta.dirname, '../node_modules/@openui5/sap.ui.core/src');
const RESOURCES = '/resources/';
const PAGE = `<!doctype html>
<link rel="icon" href="data:,">
<script id="sap-ui-bootstrap" src="${RESOURCES}sap-ui-core.js" data-sap-ui-async="true"></script>`;
/** Files of UI5's build that a model does not need. */
const BUILT = /^(sap-ui-version\.json|.*\/library\.css)$/;
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.css': 'text/css',
};

export interface AppServer {
  readonly url: string;
  /** The requests to the service, in order: `GET /odata/Author`. */
  readonly seen: readonly string[];
}

/**
 * A web server in front of an app, which serves the page and UI5's modules and forwards everything else to
 * the gateway.
 *
 * So page and service have the same origin.
 */
export function useAppServer(demo: Demo): AppServer {
  const seen: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: target = '' } = incoming;
    if (target === '/page') outgoing.setHeader('content-type', 'text/html').end(PAGE);
    else if (target.startsWith(RESOURCES)) sendModule(target, outgoing);
    else {
      seen.push(`${method} ${target}`);
      passOn(demo.url, incoming, outgoing);
    }
  });
  beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    seen,
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
  };
}

function sendModule(target: string, outgoing: ServerResponse): void {
  const path = normalize(target.slice(RESOURCES.length).replace(/\?.*$/, ''));
  const file = join(UI5, path);
  if (BUILT.test(path))
    outgoing.setHeader('content-type', TYPES[extname(path)] ?? '').end('{"libraries":[]}');
  else if (path.startsWith('..') || !existsSync(file) || !statSync(file).isFile())
    outgoing.writeHead(404).end();
  else {
    outgoing.setHeader('content-type', TYPES[extname(path)] ?? 'text/plain');
    createReadStream(file).pipe(outgoing);
  }
}

function passOn(origin: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, url, headers } = incoming;
  const sent = request(new URL(origin), { method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  sent.on('error', () => outgoing.destroy());
  incoming.pipe(sent);
}
