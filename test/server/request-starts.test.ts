import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { protocolPart, runServer, text } from './running-server.ts';

const CLIENTS = 500;

it('of many requests that come in one turn of the event loop, few are begun before the first is answered', async () => {
  let [underWay, most] = [0, 0];
  const { port } = await runServer([
    protocolPart(async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await nextTurn();
      underWay -= 1;
      return text('x');
    }),
  ]);
  const sockets = await connectAll(port, CLIENTS);
  const askAll = async (): Promise<ReadonlySet<string>> => new Set(await Promise.all(sockets.map(ask)));
  // Connections are taken one in a turn: those that have been answered once are all there.
  await askAll();
  most = 0;
  expect(await askAll()).toStrictEqual(new Set(['HTTP/1.1 200']));
  expect(most).toBeLessThan(CLIENTS / 3);
});

it('while many wait, connections that have been answered are not read, so that there is room for others', async () => {
  const [regulars, others, requests] = [600, 300, 620];
  const { port } = await runServer([protocolPart(() => text('x'))], { limits: { requests } });
  const asRegulars = await connectAll(port, regulars);
  await Promise.all(asRegulars.map(ask));
  const asOthers = await connectAll(port, others);
  await Promise.all(asOthers.map(ask));
  const answers: string[] = [];
  const askTwenty = async (socket: Socket): Promise<void> => {
    for (let number = 0; number < 20; number += 1) answers.push(await ask(socket));
  };
  const asking = asRegulars.map(askTwenty);
  while (answers.length < 2 * regulars) await nextTurn();
  answers.push(...(await Promise.all(asOthers.map(ask))));
  await Promise.all(asking);
  expect(answers).toHaveLength(20 * regulars + others);
  expect(new Set(answers)).toStrictEqual(new Set(['HTTP/1.1 200']));
});

it('a connection that is not read while many wait is not closed as idle when the server stops', async () => {
  const clients = 300;
  let millisecondsOfWork = 0;
  const { port, server } = await runServer(
    [
      protocolPart(() => {
        const end = performance.now() + millisecondsOfWork;
        while (performance.now() < end);
        return text('x');
      }),
    ],
    { limits: { graceMs: 20_000 } },
  );
  const connections = await connectAll(port, clients);
  await Promise.all(connections.map(ask));
  // Each turn of the event loop takes longer now than the server waits between two looks for idle connections.
  millisecondsOfWork = 2;
  let answered = 0;
  let stopped: Promise<void> | undefined;
  const askUntilClosed = async (socket: Socket): Promise<string> => {
    const answer = await askWhole(socket);
    answered += 1;
    if (answered === clients / 4) stopped = server.close();
    return /\r\nconnection: close\r\n/i.test(answer) ? 'answered' : askUntilClosed(socket);
  };
  const outcomes = await Promise.all(connections.map((socket) => askUntilClosed(socket).catch(String)));
  expect(new Set(outcomes)).toStrictEqual(new Set(['answered']));
  expect(answered).toBeGreaterThan(clients);
  await stopped;
});

async function connectAll(port: number, clients: number): Promise<readonly Socket[]> {
  return Promise.all(
    Array.from({ length: clients }, async () => {
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      return socket;
    }),
  );
}

/** The start of the status line. */
async function ask(socket: Socket): Promise<string> {
  return (await askWhole(socket)).slice(0, 12);
}

/** The answer; fails where the connection is closed instead. */
async function askWhole(socket: Socket): Promise<string> {
  if (socket.destroyed) throw new Error('The connection is closed.');
  const gone = new AbortController();
  const onClose = () => gone.abort();
  socket.once('close', onClose);
  const answer = once(socket, 'data', { signal: gone.signal });
  socket.write('GET /odata HTTP/1.1\r\nHost: x\r\n\r\n');
  const [data] = await answer;
  socket.off('close', onClose);
  return String(data);
}
