import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../contract/log.ts';
import { answerClientError, refuseTunnel } from './client-error.ts';
import type { ServerLimits } from './server-limits.ts';

/** Node's HTTP server with our limits, and with answers of ours to what never becomes a request. */
export function createHttpServer(listener: RequestListener, limits: ServerLimits): Server {
  const current = new WeakMap<object, ServerResponse>();
  const asked = new WeakMap<object, number>();
  const answer: RequestListener = (request, response) => {
    current.set(request.socket, response);
    const number = (asked.get(request.socket) ?? 0) + 1;
    asked.set(request.socket, number);
    // Node says so itself, and then leaves the closing to the client (RFC 9112, 9.6: it is the server's).
    if (number >= limits.connectionRequests) response.shouldKeepAlive = false;
    listener(request, response);
  };
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      // Bodies have a time limit of their own: Node knows but one for all, and uploads take as long as they take.
      requestTimeout: 0,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckMs,
      maxHeaderSize: limits.maxHeaderBytes,
      // A missing Host is answered by the part, in its protocol.
      requireHostHeader: false,
    },
    answer,
  );
  server.maxConnections = limits.maxConnections;
  server.maxRequestsPerSocket = limits.connectionRequests;
  server.on('checkContinue', answer);
  // Others than that may be passed over (RFC 9110, 10.1.1); Node would refuse them without a word.
  server.on('checkExpectation', answer);
  // A tunnel is nothing that is served here (RFC 9110, 9.3.6).
  server.on('connect', (_, socket) => refuseTunnel(socket));
  server.on('clientError', (error, socket) => answerClientError(error, socket, current.get(socket)));
  server.setTimeout(limits.silenceTimeoutMs, (socket) => {
    if (!isWorkedOn(current.get(socket))) socket.destroy();
  });
  return server;
}

// Silence is then ours: the part has a deadline of its own.
function isWorkedOn(response: ServerResponse | undefined): boolean {
  return response !== undefined && !response.headersSent;
}

/** Starts to accept connections. Fails with Node's error; later ones, such as a lack of files, are logged. */
export function listen(server: Server, host: string, port: number, log: Log): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      server.on('error', (err) => log.error({ err }, 'the server cannot accept connections'));
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('The server has no port.'));
      else resolve(address);
    });
  });
}
