import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends bytes as they are and reads until the server closes the connection, or closes it after `quietMs`. */
export function sendRaw(port: number, bytes: string, quietMs = 10_000): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setTimeout(quietMs, () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
    socket.write(bytes, 'latin1');
  });
}

/** Sends a request with this request line and header lines, and closes the connection after the answer. */
export async function sendRequest(
  port: number,
  line: string,
  headers = ['Host: x'],
  body = '',
): Promise<RawAnswer> {
  const head = [`${line} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n');
  return parseAnswer(await sendRaw(port, head + body));
}

/** Reads an answer whose body is all that follows its header fields. */
export function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...fields] = text.slice(0, end).split('\r\n');
  const headers = fields.map((field) => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const;
  });
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: text.slice(end + 4),
  };
}

/** A connection that the test talks on by itself. */
export function open(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', () => {});
  });
}

/** Resolves when the other side has closed the connection. */
export function closed(socket: Socket): Promise<void> {
  socket.resume();
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.on('close', () => resolve());
  });
}
