import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
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

/** Starts a server that accepts requests for `leaveMs` after a signal to stop. */
async function startProcess(
  leaveMs: number,
  output: number | 'pipe' | 'ignore' = 'ignore',
): Promise<Stoppable> {
  const program = join(import.meta.dirname, 'stoppable-server.ts');
  const child = spawn(process.execPath, [program, String(leaveMs)], {
    stdio: ['ignore', output, 'inherit', 'ipc'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const exit = once(child, 'exit').then(([code, signal]) => [code, signal] as const);
  const [port] = await once(child, 'message');
  return { process: child, port: Number(port), exit };
}

/** The outcome of a request: its status or error code. */
function ask(agent: Agent, port: number, path: string): Promise<number | string> {
  return new Promise((resolve) => {
    get({ agent, port, path, host: '127.0.0.1' }, (response) => {
      response.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      response.on('end', () => resolve(response.complete ? (response.statusCode ?? 0) : 'incomplete'));
      response.resume();
    }).on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

/** Asks for what never comes; resolves when the process has been asked, with what then comes of it. */
async function askForever({
  process: child,
  port,
}: Stoppable): Promise<{ readonly outcome: Promise<unknown> }> {
  const requested = once(child, 'message');
  const outcome = ask(new Agent(), port, '/never');
  await requested;
  return { outcome };
}

describe('SIGTERM', () => {
  it('stops the process under load without a failed request', async () => {
    const { process: child, port, exit } = await startProcess(5_000);
    const agent = new Agent({ keepAlive: true });
    const outcomes: (number | string)[] = [];
    let turnedAway = false;
    const load = async (): Promise<void> => {
      while (!turnedAway) outcomes.push(await ask(agent, port, '/slow'));
    };
    const clients = Array.from({ length: 16 }, load);
    await expect.poll(() => outcomes.length).toBeGreaterThan(32);
    child.kill('SIGTERM');
    const readiness = async () => {
      const request = 'GET /health/ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      const { status, headers, body } = parseAnswer(await sendRaw(port, request));
      return [status, headers['connection'], JSON.parse(body)];
    };
    await expect.poll(readiness).toStrictEqual([503, 'close', { status: 'stopping' }]);
    const meanwhile = outcomes.length;
    await expect.poll(() => outcomes.length).toBeGreaterThan(meanwhile);
    turnedAway = true;
    await Promise.all(clients);
    expect(await exit).toStrictEqual([0, null]);
    agent.destroy();
    expect(outcomes.filter((outcome) => outcome !== 200)).toStrictEqual([]);
  });

  it('does not wait longer than the grace, and still exits with 0', async () => {
    const started = await startProcess(0);
    const { outcome } = await askForever(started);
    started.process.kill('SIGTERM');
    expect(await started.exit).toStrictEqual([0, null]);
    expect(await outcome).toBe('ECONNRESET');
  });

  it('for the second time does not wait at all', async () => {
    const started = await startProcess(60_000);
    const { outcome } = await askForever(started);
    started.process.kill('SIGTERM');
    started.process.kill('SIGINT');
    expect(await started.exit).toStrictEqual([1, null]);
    await outcome;
  });
});

describe('a log that nobody takes', () => {
  it('costs its lines where the disk is full, and neither an answer nor the end of the process', async () => {
    const full = openSync('/dev/full', 'w');
    const { process: child, port, exit } = await startProcess(0, full);
    closeSync(full);
    const { status, body } = parseAnswer(
      await sendRaw(port, 'GET /log HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    );
    expect(status).toBe(200);
    expect(Number(body)).toBeGreaterThan(0);
    child.kill('SIGTERM');
    expect(await exit).toStrictEqual([0, null]);
  });

  it('does not keep the process from exiting where its reader has stalled', async () => {
    // The pipe has no reader, and room for 64 KiB.
    const { process: child, port, exit } = await startProcess(0, 'pipe');
    expect(await ask(new Agent(), port, '/log')).toBe(200);
    child.kill('SIGTERM');
    expect(await exit).toStrictEqual([0, null]);
  });
});

describe('close', () => {
  it('waits until a slow client has the whole of its answer', async () => {
    const { port, server } = await runServer([protocolPart(() => text('x'.repeat(25_000_000)))], {
      limits: { graceMs: 60_000 },
    });
    const slow = await open(port);
    slow.write('GET /odata HTTP/1.1\r\nHost: x\r\n\r\n');
    let received = 0;
    const first = new Promise<void>((resolve) => {
      slow.on('data', (chunk) => {
        received += chunk.length;
        slow.pause();
        resolve();
        setImmediate(() => slow.resume());
      });
    });
    await first;
    await Promise.all([server.close(), closed(slow)]);
    expect(received).toBeGreaterThan(25_000_000);
  });

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

  it('closes a connection whose refused body came after the answer', async () => {
    const { url, server, entries } = await runServer([protocolPart()], { limits: { graceMs: 30_000 } });
    const body = 'x'.repeat(1_000_000);
    expect((await fetch(`${url}/odata`, { method: 'POST', body })).status).toBe(413);
    await server.close();
    expect(entries().filter(({ level }) => level === 'warn')).toStrictEqual([]);
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
    const other = createServer({ routes: [], landing: () => EMPTY_LANDING, log });
    await expect(other.listen('127.0.0.1', port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
