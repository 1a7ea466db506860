import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';

/** The outcome of a request. */
export interface Outcome {
  /** 0 where there was no whole answer. */
  readonly status: number;
  /** Bytes of the body. */
  readonly size: number;
  /** Why there was no whole answer. */
  readonly failure: string | undefined;
  readonly retryAfter: string | undefined;
  /** The text of a short response. */
  readonly text: string;
}

const SHORT = 65_536;

/** Sends the request on a connection of its own unless an agent says otherwise, and reads the whole of the answer. */
export function ask(url: string, options: { agent?: Agent; body?: string } = {}): Promise<Outcome> {
  const { agent, body } = options;
  return new Promise((resolve) => {
    let size = 0;
    const chunks: Buffer[] = [];
    const settle = (status: number, failure?: string, retryAfter?: string) =>
      resolve({
        status,
        size,
        failure,
        retryAfter,
        text: size <= SHORT ? Buffer.concat(chunks).toString() : '',
      });
    const fail = (error: NodeJS.ErrnoException) => settle(0, error.code ?? error.message);
    const sent = request(
      url,
      {
        agent: agent ?? false,
        method: body === undefined ? 'GET' : 'POST',
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
      },
      (response) => {
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size <= SHORT) chunks.push(chunk);
        });
        response.on('error', fail);
        response.on('end', () =>
          response.complete
            ? settle(response.statusCode ?? 0, undefined, response.headers['retry-after'])
            : settle(0, 'incomplete'),
        );
      },
    );
    sent.on('error', fail);
    sent.end(body);
  });
}

/** Asks as a number of clients do: each on one connection, each so many times. */
export async function askByMany(
  url: (client: number) => string,
  clients: number,
  times: number,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const client = async (_: unknown, number: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let time = 0; time < times; time += 1) outcomes.push(await ask(url(number), { agent }));
    agent.destroy();
  };
  await Promise.all(Array.from({ length: clients }, client));
  return outcomes;
}

/** Clients that ask for something and read a kilobyte of it a second. */
export function readSlowly(
  url: string,
  clients: number,
): { readonly sockets: readonly Socket[]; end(): void } {
  const { hostname, port, pathname, search } = new URL(url);
  const sockets = Array.from({ length: clients }, () => {
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => {});
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    return socket;
  });
  const reading = setInterval(() => {
    for (const socket of sockets) socket.read(1024);
  }, 1000);
  return {
    sockets,
    end() {
      clearInterval(reading);
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The number of outcomes by status. */
export function countStatuses(outcomes: readonly Outcome[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status, failure } of outcomes) {
    const name = status === 0 ? String(failure) : String(status);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
