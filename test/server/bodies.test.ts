import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { GatewayError } from '../../src/contract/gateway-error.ts';
import { ANONYMOUS, UNRESTRICTED } from '../../src/contract/principal.ts';
import { open, sendRequest } from './raw-client.ts';
import { echo, protocolPart, runServer, text } from './running-server.ts';

const reported = (error: GatewayError) => ({
  ...text(`${error.code}: ${error.message}`, error.status),
  headers: error.headers,
});

const head = (length: number) => `POST /odata HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

describe('the body of whoever has to sign in first', () => {
  const options = { authenticate: () => ANONYMOUS };

  it.each(['Content-Length: 5', 'Transfer-Encoding: chunked'])('is not waited for: %s', async (announced) => {
    const { port } = await runServer([{ ...protocolPart(), errorResponse: reported }], options);
    const { status, body, headers } = await sendRequest(port, 'POST /odata', ['Host: x', announced]);
    expect([status, body]).toStrictEqual([401, 'Unauthorized: Sign in first.']);
    expect(headers['www-authenticate']).toContain('Bearer');
  });

  it('is read where nobody has to', async () => {
    const { port } = await runServer([{ ...protocolPart(), open: true }], options);
    const { body } = await sendRequest(port, 'POST /odata', ['Host: x', 'Content-Length: 2'], 'ab');
    expect(JSON.parse(body)).toMatchObject({ body: 'ab' });
  });
});

describe('the bodies of all requests together', () => {
  const part = { ...protocolPart(), maxBodyBytes: 100, errorResponse: reported };
  const limits = { bodiesBytes: 40 };

  it('may be as large as the allowance, and are refused beyond it', async () => {
    const { port } = await runServer([part], { limits });
    const within = await sendRequest(port, 'POST /odata', ['Host: x', 'Content-Length: 40'], 'a'.repeat(40));
    expect(within.status).toBe(200);
    const beyond = await sendRequest(port, 'POST /odata', ['Host: x', 'Content-Length: 41'], 'a'.repeat(41));
    expect([beyond.status, beyond.headers['retry-after'], beyond.body]).toStrictEqual([
      503,
      expect.stringMatching(/^[1-5]$/),
      'Overloaded: The gateway is reading too many request bodies: try again later (BODIES_MIB).',
    ]);
  });

  it('are given room again once they are answered, or given up', async () => {
    let reached: (() => void) | undefined;
    const handler = async (request: Parameters<typeof echo>[0]) => {
      reached?.();
      return echo(request);
    };
    const { port } = await runServer([{ ...part, handler }], { limits });
    const socket = await open(port);
    socket.write(head(40) + 'a'.repeat(39));
    const send = () =>
      sendRequest(port, 'POST /odata', ['Host: x', 'Content-Length: 30'], 'b'.repeat(30)).then(
        ({ status }) => status,
      );
    await expect.poll(send).toBe(503);
    socket.destroy();
    await expect.poll(send).toBe(200);
    const answered = new Promise<void>((resolve) => {
      reached = resolve;
    });
    await Promise.all([answered, send()]);
    expect(await send()).toBe(200);
  });

  it('of strangers have a share, so that others need not wait for them', async () => {
    const { port } = await runServer([{ ...part, open: true, path: '/login' }, part], {
      limits,
      authenticate: () => UNRESTRICTED,
    });
    const login = (length: number) =>
      sendRequest(port, 'POST /login', ['Host: x', `Content-Length: ${length}`], 'a'.repeat(length));
    expect((await login(10)).status).toBe(200);
    expect((await login(11)).status).toBe(503);
  });
});

describe('connections', () => {
  it('beyond the most are closed at once', async () => {
    const { port } = await runServer([{ path: '/x', handler: () => text('here') }], {
      limits: { maxConnections: 1 },
    });
    const first = await open(port);
    first.write('GET /x HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = await once(first, 'data');
    expect(String(answer)).toContain('200 OK');
    const second = await open(port);
    second.resume();
    await once(second, 'close');
    first.destroy();
  });
});
