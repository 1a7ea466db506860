import { once } from 'node:events';
import { connect } from 'node:net';

/** The body of the answer to a GET of HTTP/1.0, which the gateway holds as a whole before it is sent. */
export async function heldAnswer(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { hostname, port, pathname, search } = new URL(url);
  const socket = connect(Number(port), hostname);
  const fields = Object.entries({ host: hostname, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.write(`GET ${pathname}${search} HTTP/1.0\r\n${fields.join('')}\r\n`);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'end');
  const answer = Buffer.concat(chunks).toString();
  return answer.slice(answer.indexOf('\r\n\r\n') + 4);
}
