import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

it('says for SHUTDOWN_LEAVE_MS after SIGTERM that it is stopping, and then exits', async () => {
  const child = spawn(process.execPath, [join(ROOT, 'src/main.ts')], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    // Vitest sets variables of its own that mean something here, such as BASE_URL.
    env: { AUTH: 'off', PORT: '0', SHUTDOWN_LEAVE_MS: '3000' },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const exit = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const logged = async (message: string): Promise<Readonly<Record<string, unknown>>> => {
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      const entry = JSON.parse(line.value);
      if (entry.msg === message) return entry;
    }
    throw new Error(`It never said: ${message}`);
  };
  const { url } = await logged('serving');
  expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  child.kill('SIGTERM');
  await logged('stopping');
  const ready = await fetch(`${url}/health/ready`);
  expect([ready.status, await ready.json()]).toStrictEqual([503, { status: 'stopping' }]);
  expect(await exit).toStrictEqual([0, null]);
});
