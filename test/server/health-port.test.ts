import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';

const configWith = (healthPort: number, more: Readonly<Record<string, string>> = {}) =>
  readConfig({ AUTH: 'off', PORT: '0', LOG_LEVEL: 'silent', HEALTH_PORT: String(healthPort), ...more });

/** The status and what is said. */
async function healthOf(url: string, init?: RequestInit): Promise<readonly unknown[]> {
  const response = await fetch(url, init);
  return [response.status, await response.json()];
}

describe('HEALTH_PORT', () => {
  let gateway: Gateway;
  const health = () => gateway.healthUrl ?? '';
  beforeAll(async () => {
    gateway = await startGateway(configWith(0, { TRUSTED_PROXIES: '127.0.0.1' }));
  });
  afterAll(() => gateway.close());

  it.each([
    ['/health/live', 200, 'live'],
    ['/health/ready', 200, 'ready'],
    ['/health/ready?now', 200, 'ready'],
    ['/odata', 404, 'Only /health/live and /health/ready are served here.'],
    ['/health/constructor', 404, 'Only /health/live and /health/ready are served here.'],
  ])('answers %s with %i and %s', async (path, status, said) => {
    expect(await healthOf(health() + path)).toStrictEqual([status, { status: said }]);
    expect(new URL(health()).port).not.toBe(new URL(gateway.url).port);
  });

  it('shows the metrics to this machine, and not through a proxy', async () => {
    const read = async (url: string, headers: Record<string, string> = {}) => {
      const response = await fetch(url, { headers });
      return [response.status, (await response.text()).includes('duogate_http_requests_total')];
    };
    expect(await read(`${health()}/metrics`)).toEqual([200, true]);
    expect(await read(`${health()}/metrics`, { 'x-forwarded-for': '127.0.0.1' })).toEqual([404, false]);
    expect(await read(`${gateway.url}/metrics`)).toEqual([404, false]);
  });

  it('takes GET and HEAD only', async () => {
    const refused = await fetch(`${health()}/health/live`, { method: 'POST', body: 'x' });
    expect([refused.status, refused.headers.get('allow')]).toStrictEqual([405, 'GET, HEAD']);
    expect((await fetch(`${health()}/health/live`, { method: 'HEAD' })).status).toBe(200);
  });

  it('is answered while the event loop is held', () => {
    const script = `fetch('${health()}/health/live').then(({ status }) => console.log(status))`;
    // Nothing else runs in this thread until the other process has ended.
    expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }).trim()).toBe('200');
  });

  it('keeps a gateway from starting where it is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(startGateway(configWith(port))).rejects.toMatchObject({ code: 'EADDRINUSE', port });
    other.close();
  });
});

it('HEALTH_PORT says that the gateway stops, and is closed with it', async () => {
  const gateway = await startGateway(configWith(0));
  const ready = `${gateway.healthUrl}/health/ready`;
  const closed = gateway.close(300);
  expect(await healthOf(ready)).toStrictEqual([503, { status: 'stopping' }]);
  await closed;
  await expect(fetch(ready)).rejects.toThrow();
});
