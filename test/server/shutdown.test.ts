import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../src/server/logger.ts';
import { createServer } from '../../src/server/server.ts';
import { closed, open, parseAnswer, sendRaw } from './raw-client.ts';
import { EMPTY_LANDING, protocolPart, runServer, text } from './running-server.ts';

interface Stoppable {
  readonly process: ChildProcess;
  readonly port: number;
  readonly exit: Promise<readonly [number | null, NodeJS.Signals | null]>;
}

async function startProcess(): Promise<Stoppable> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'stoppable-server.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const exit = once(child, 'exit').then(([code, signal]) => [code, signal] as const);
  const [line] = await once(child.stdout, 'data');
  return { process: child, port: Number(line), exit };
}

/** What came of one request: its status, or the code of the error. */
function ask(agent: Agent, port: number, path: string): Promise<number | string> {
  return new Promise((resolve) => {
    get({ agent, port, path, host: '127.0.0.1' }, (response) => {
      response.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      response.on('end', () => resolve(response.complete ? (response.statusCode ?? 0) : 'incomplete'));
      response.resume();
    }).on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

describe('SIGTERM', () => {
  it('stops the process under load without a failed request', async () => {
    const { process: child, port, exit } = await startProcess();
    const agent = new Agent({ keepAlive: true });
    const outcomes: (number | string)[] = [];
    let turnedAway = false;
    const load = async (): Promise<void> => {
      while (!turnedAway) outcomes.push(await ask(agent, port, '/slow'));
    };
    const clients = Array.from({ length: 16 }, load);
    await delay(300);
    child.kill('SIGTERM');
    await delay(50);
    const ready = parseAnswer(await sendRaw(port, 'GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n'));
    expect([ready.status, ready.headers['connection'], JSON.parse(ready.body)]).toStrictEqual([
      503,
      'close',
      { status: 'stopping' },
    ]);
    await delay(200);
    turnedAway = true;
    await Promise.all(clients);
    expect(await exit).toStrictEqual([0, null]);
    agent.destroy();
    expect(outcomes.length).toBeGreaterThan(32);
    expect(outcomes.filter((outcome) => outcome !== 200)).toStrictEqual([]);
  });

  it('does not wait longer than the grace, and still exits with 0', async () => {
    const { process: child, port, exit } = await startProcess();
    const stuck = ask(new Agent(), port, '/never');
    await delay(50);
    child.kill('SIGTERM');
    expect(await exit).toStrictEqual([0, null]);
    expect(await stuck).toBe('ECONNRESET');
  });

  it('for the second time does not wait at all', async () => {
    const { process: child, port, exit } = await startProcess();
    const stuck = ask(new Agent(), port, '/never');
    await delay(50);
    child.kill('SIGTERM');
    await delay(50);
    child.kill('SIGINT');
    expect(await exit).toStrictEqual([1, null]);
    await stuck;
  });
});

describe('close', () => {
  it('closes idle connections and those that never said a word', async () => {
    const { port, server } = await runServer([protocolPart()], { limits: { graceMs: 60_000 } });
    const silent = await open(port);
    const idle = await open(port);
    idle.write('GET /odata HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(idle, 'data');
    await Promise.all([server.close(), closed(silent), closed(idle)]);
    expect([silent.destroyed, idle.destroyed]).toStrictEqual([true, true]);
  });

  it('lets a request finish, and tells its client to close', async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let called = () => {};
    const reached = new Promise<void>((resolve) => {
      called = resolve;
    });
    const part = protocolPart(async () => {
      called();
      await finished;
      return text('done');
    });
    const { port, server } = await runServer([part], { limits: { graceMs: 60_000 } });
    const answer = sendRaw(port, 'GET /odata HTTP/1.1\r\nHost: x\r\n\r\n');
    await reached;
    const closing = server.close();
    finish();
    await closing;
    const { status, headers, body } = parseAnswer(await answer);
    expect([status, headers['connection'], body]).toStrictEqual([200, 'close', 'done']);
  });

  it('may be called twice', async () => {
    const { server } = await runServer([]);
    expect(await Promise.all([server.close(), server.close()])).toStrictEqual([undefined, undefined]);
  });
});

describe('listen', () => {
  it('fails when the port is taken', async () => {
    const { port } = await runServer([]);
    const log = createLogger({ level: 'silent' });
    const other = createServer({ parts: [], landing: () => EMPTY_LANDING, log });
    await expect(other.listen('127.0.0.1', port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
