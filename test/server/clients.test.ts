import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { GatewayRequest } from '../../src/contract/exchange.ts';
import { GatewayError } from '../../src/contract/gateway-error.ts';
import { closed, open, parseAnswer, sendRaw } from './raw-client.ts';
import { type echo, protocolPart, runServer, text } from './running-server.ts';

const IMPATIENT = {
  headersTimeoutMs: 100,
  requestTimeoutMs: 200,
  silenceTimeoutMs: 150,
  keepAliveTimeoutMs: 100,
  timeoutCheckMs: 20,
};

/** Patient where a client sends: what it sends takes its time where the machine is busy. */
const SILENCE = { silenceTimeoutMs: 500 };

describe('a slow client', () => {
  it.each([
    ['sends nothing', ''],
    ['sends a part of its header fields', 'GET /odata HTTP/1.1\r\nHost: x\r\nX'],
    ['sends a part of its body', 'POST /odata HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab'],
  ])('that %s is told so and disconnected', async (_, bytes) => {
    const { port } = await runServer([protocolPart()], {
      limits: { ...IMPATIENT, silenceTimeoutMs: 60_000 },
    });
    const { status, headers } = parseAnswer(await sendRaw(port, bytes));
    expect([status, headers['connection']]).toStrictEqual([408, 'close']);
  });

  it('that drips its body is disconnected', async () => {
    const { port } = await runServer([protocolPart()], { limits: IMPATIENT });
    const socket = await open(port);
    socket.write('POST /odata HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\n');
    const drip = setInterval(() => socket.write('a'), 20);
    await closed(socket);
    clearInterval(drip);
    expect(socket.destroyed).toBe(true);
  });

  it('that does not read is disconnected, and what was meant for it given up', async () => {
    const signals: AbortSignal[] = [];
    // More than the buffers of two sockets ever take: what they hold has been read, for all that the server knows.
    const large = new Uint8Array(300_000_000);
    const part = protocolPart((request) => {
      signals.push(request.signal);
      return { status: 200, headers: {}, body: large };
    });
    const { port } = await runServer([part], { limits: SILENCE });
    const socket = await open(port);
    socket.pause();
    socket.write('GET /odata HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => signals[0]?.aborted, { timeout: 50_000 }).toBe(true);
    socket.destroy();
  });

  it('is not disconnected while a part thinks', async () => {
    const part = protocolPart(async () => {
      await delay(4 * SILENCE.silenceTimeoutMs);
      return text('thought over');
    });
    const { port } = await runServer([part], { limits: SILENCE });
    const answer = parseAnswer(await sendRaw(port, 'GET /odata HTTP/1.1\r\nHost: x\r\n\r\n'));
    expect([answer.status, answer.body]).toStrictEqual([200, 'thought over']);
  });

  it('that keeps a connection without using it is disconnected', async () => {
    const { port } = await runServer([protocolPart()], { limits: IMPATIENT });
    const socket = await open(port);
    socket.write('GET /odata HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    await closed(socket);
    expect(socket.destroyed).toBe(true);
  });

  it('does not slow down the others', async () => {
    const { port, url } = await runServer([protocolPart()]);
    const slow = await Promise.all(Array.from({ length: 200 }, () => open(port)));
    for (const socket of slow) socket.write('GET /odata HTTP/1.1\r\nX: ');
    const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(`${url}/odata`)));
    expect(answers.every((answer) => answer.status === 200)).toBe(true);
    for (const socket of slow) socket.destroy();
  });
});

describe('a client that goes away', () => {
  /** A part that waits until its request is aborted, and what it saw. */
  function waitingPart(finish: () => ReturnType<typeof echo>) {
    const requests: GatewayRequest[] = [];
    const part = protocolPart(async (request) => {
      requests.push(request);
      await once(request.signal, 'abort');
      return finish();
    });
    return { part, requests };
  }

  it.each<[string, () => ReturnType<typeof echo>]>([
    ['answers', () => text('late')],
    [
      'gives up',
      () => {
        throw new Error('given up');
      },
    ],
  ])('aborts its request; that the part then %s disturbs nobody', async (_, finish) => {
    const { part, requests } = waitingPart(finish);
    const { port, url, entries } = await runServer([part]);
    const socket = await open(port);
    socket.write('GET /odata HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => requests.length).toBe(1);
    socket.destroy();
    await expect.poll(() => requests[0]?.signal.aborted).toBe(true);
    expect(requests[0]?.signal.reason).toStrictEqual(
      new GatewayError('ClientClosedRequest', 'The client closed the connection.'),
    );
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect(entries().filter((entry) => entry['level'] !== 'info')).toStrictEqual([]);
  });

  it('in the middle of its body never reaches the part', async () => {
    const { part, requests } = waitingPart(() => text(''));
    const { port, url, entries } = await runServer([part]);
    const socket = await open(port);
    socket.write('POST /odata HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc', () => socket.destroy());
    await expect.poll(() => entries().length).toBe(1);
    expect([requests.length, entries()]).toMatchObject([0, [{ aborted: true }]]);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
  });

  it('does not abort a request that is answered', async () => {
    const signals: AbortSignal[] = [];
    const part = protocolPart((request) => {
      signals.push(request.signal);
      return text('');
    });
    const { port } = await runServer([part]);
    const socket = await open(port);
    socket.write('GET /odata HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    await closed(socket);
    expect(signals.map((signal) => signal.aborted)).toStrictEqual([false]);
  });
});
