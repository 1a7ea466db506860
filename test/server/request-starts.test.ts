import { once } from 'node:events';
import { connect } from 'node:net';
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
  const sockets = await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      return socket;
    }),
  );
  const askAll = async (): Promise<ReadonlySet<string>> => {
    const answers = sockets.map((socket) => once(socket, 'data'));
    for (const socket of sockets) socket.write('GET /odata HTTP/1.1\r\nHost: x\r\n\r\n');
    return new Set((await Promise.all(answers)).map(([data]) => String(data).slice(0, 12)));
  };
  // Connections are taken one in a turn: those that have been answered once are all there.
  await askAll();
  most = 0;
  expect(await askAll()).toStrictEqual(new Set(['HTTP/1.1 200']));
  expect(most).toBeLessThan(CLIENTS / 3);
});
