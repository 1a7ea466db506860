import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A request as it came over the wire. */
export interface ReceivedRequest {
  readonly method: string;
  /** The raw request target. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Settles when the connection is closed, by whichever side. */
  readonly closed: Promise<void>;
}

/** The connection of a request, to answer on in whatever way. */
export interface Reply {
  /** A well-formed answer; `content-length` is set unless the headers have one. */
  send(status: number, body?: string | Uint8Array, headers?: Readonly<Record<string, string>>): void;
  json(value: unknown, headers?: Readonly<Record<string, string>>): void;
  /** Bytes as they are: the status line, headers and all else are the caller's. */
  write(bytes: string | Uint8Array): void;
  /** Ends the connection in an orderly way. */
  end(): void;
  /** Breaks the connection off (RST). */
  reset(): void;
}

export type Behaviour = (request: ReceivedRequest, reply: Reply) => void;

/** An HTTP server that can misbehave in every way; on 127.0.0.1, at a free port. */
export interface StandInUpstream {
  readonly url: string;
  /** Oldest first. */
  readonly requests: readonly ReceivedRequest[];
  /** Connections that are open now. */
  readonly connections: number;
  /** Connections that were ever opened. */
  readonly accepted: number;
  /** Sets its behaviour. */
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

/** Starts an upstream that responds with 501 until its behaviour is set. */
export async function startStandInUpstream(behaviour: Behaviour = notImplemented): Promise<StandInUpstream> {
  const sockets = new Set<Socket>();
  const requests: ReceivedRequest[] = [];
  let accepted = 0;
  let current = behaviour;
  const server = createServer((socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    receive(socket, (request) => {
      requests.push(request);
      current(request, replyOn(socket));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get connections() {
      return sockets.size;
    },
    get accepted() {
      return accepted;
    },
    behave: (next) => {
      current = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function notImplemented(_: ReceivedRequest, reply: Reply): void {
  reply.send(501, 'The stand-in was not told how to behave.');
}

function replyOn(socket: Socket): Reply {
  const send: Reply['send'] = (status, body = '', headers = {}) => {
    const bytes = Buffer.from(body);
    const all = { 'content-length': String(bytes.length), ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      Buffer.concat([Buffer.from(`HTTP/1.1 ${status} -\r\n${lines.join('')}\r\n`, 'latin1'), bytes]),
    );
  };
  return {
    send,
    json: (value, headers) =>
      send(200, JSON.stringify(value), { 'content-type': 'application/json', ...headers }),
    write: (bytes) => void (socket.writable && socket.write(bytes)),
    end: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
  };
}

/** Reads requests off a connection. They have a content length or no body: the gateway sends no others. */
function receive(socket: Socket, onRequest: (request: ReceivedRequest) => void): void {
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  let pending = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (let message = takeMessage(pending); message !== undefined; message = takeMessage(pending)) {
      pending = pending.subarray(message.length);
      onRequest({ ...message.request, closed });
    }
  });
}

interface Message {
  readonly length: number;
  readonly request: Omit<ReceivedRequest, 'closed'>;
}

function takeMessage(bytes: Buffer): Message | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [requestLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const [method = '', target = ''] = requestLine.split(' ');
  const headers = Object.fromEntries(lines.map(readHeader));
  const length = end + 4 + Number(headers['content-length'] ?? 0);
  if (bytes.length < length) return undefined;
  return { length, request: { method, target, headers, body: bytes.subarray(end + 4, length) } };
}

function readHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
