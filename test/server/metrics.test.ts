import { describe, expect, it } from 'vitest';
import { protocolPart, runServer, text } from './running-server.ts';

const LOCAL = { metricsReaders: ['127.0.0.0/8', '::1'] };

const linesOf = (metrics: string, name: string): readonly string[] =>
  metrics.split('\n').filter((line) => line.startsWith(name));

describe('/metrics', () => {
  it('counts requests by part, method and status, whatever their targets are', async () => {
    const { url } = await runServer([protocolPart(() => text('', 404))], LOCAL);
    for (const path of ['/odata/a', '/odata/b?x=1', '/nothing']) await fetch(url + path);
    await fetch(`${url}/odata`, { method: 'PROPFIND' });
    const response = await fetch(`${url}/metrics`);
    const metrics = await response.text();
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(linesOf(metrics, 'duogate_http_requests_total')).toStrictEqual([
      'duogate_http_requests_total{part="/odata",method="GET",status="404"} 2',
      'duogate_http_requests_total{part="/",method="GET",status="404"} 1',
      'duogate_http_requests_total{part="/odata",method="other",status="404"} 1',
    ]);
    expect(linesOf(metrics, 'duogate_http_request_duration_seconds_count')).toStrictEqual([
      'duogate_http_request_duration_seconds_count{part="/odata"} 3',
      'duogate_http_request_duration_seconds_count{part="/"} 1',
    ]);
    expect(linesOf(metrics, 'duogate_http_requests_in_flight')).toStrictEqual([
      'duogate_http_requests_in_flight 1',
    ]);
    expect(linesOf(metrics, 'process_cpu_seconds_total')).toHaveLength(1);
  });

  it.each<readonly [string, object, string, Readonly<Record<string, string>>]>([
    ['they are off', {}, '/metrics', {}],
    ['the address is not listed', { metricsReaders: ['10.0.0.0/8', 'fd00::/8'] }, '/metrics', {}],
    ...['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'].map(
      (field) => [`a proxy has added ${field}`, LOCAL, '/metrics', { [field]: '127.0.0.1' }] as const,
    ),
    ['a path below is meant', LOCAL, '/metrics/x', {}],
  ])('has nothing where %s', async (_, options, path, headers) => {
    const { url } = await runServer([], options);
    const response = await fetch(url + path, { headers });
    expect([response.status, await response.json()]).toStrictEqual([
      404,
      {
        error: {
          code: 'NotFound',
          message: 'There is nothing at this path. What is served is listed at /.',
        },
      },
    ]);
  });

  it('can only be read', async () => {
    const { url } = await runServer([], LOCAL);
    const response = await fetch(`${url}/metrics`, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toStrictEqual([405, 'GET, HEAD']);
    expect((await fetch(`${url}/metrics`, { method: 'HEAD' })).status).toBe(200);
  });
});
