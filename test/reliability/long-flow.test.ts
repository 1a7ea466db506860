import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startGatewayProcess } from './gateway-process.ts';

const MEMORY_MIB = 512;
/** As many as would not fit into the memory together; `FLOW_ROWS=5000000` takes some minutes. */
const ROWS = Number(process.env['FLOW_ROWS'] ?? 600_000);
const SIZE = 1_000;

/** A list of measurements in pages, by cursors that say nothing of its length. */
function startMeasurements(): Promise<Server> {
  const server = createServer(({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://localhost');
    const begin = Number(searchParams.get('cursor') ?? 0);
    const end = Math.min(begin + SIZE, ROWS);
    const items = Array.from({ length: end - begin }, (_, index) => measurementAt(begin + index + 1));
    const next = end < ROWS ? { next_cursor: String(end) } : {};
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ items, ...next }));
  });
  server.listen(0, '127.0.0.1');
  return once(server, 'listening').then(() => server);
}

function measurementAt(id: number) {
  return { id, sensor: `Sensor ${id % 1_000}`, value: id / 8, note: `Measured for the ${id}th time` };
}

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Measurements', version: '1' },
  paths: {
    '/measurements': {
      get: {
        operationId: 'measurements',
        parameters: [
          { name: 'cursor', in: 'query', schema: { type: 'string' } },
          { name: 'limit', in: 'query', schema: { type: 'integer', maximum: SIZE } },
        ],
        responses: {
          200: {
            description: 'Measurements',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    items: { type: 'array', items: { $ref: '#/components/schemas/Measurement' } },
                    next_cursor: { type: 'string' },
                  },
                },
              },
            },
          },
        },
      },
    },
    '/measurements/{id}': {
      get: {
        operationId: 'measurement',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: {
          200: {
            description: 'A measurement',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Measurement' } } },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Measurement: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'integer' },
          sensor: { type: 'string' },
          value: { type: 'number' },
          note: { type: 'string' },
        },
      },
    },
  },
};

describe(`a list of ${ROWS} rows`, () => {
  let upstream: Server;
  const folder = mkdtempSync(join(tmpdir(), 'duogate-'));

  beforeAll(async () => {
    upstream = await startMeasurements();
    const { port } = upstream.address() as AddressInfo;
    const openapi = { source: './api.json', endpoint: `http://127.0.0.1:${port}` };
    writeFileSync(join(folder, 'api.json'), JSON.stringify(DOCUMENT));
    writeFileSync(
      join(folder, '.meshrc.yaml'),
      JSON.stringify({ sources: [{ name: 'Test', handler: { openapi } }] }),
    );
  });
  afterAll(() => {
    upstream.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(['csv', 'jsonl'])(
    `is passed on as %s within ${MEMORY_MIB} MiB`,
    async (format) => {
      const gateway = await startGatewayProcess({
        memoryMib: MEMORY_MIB,
        environment: { MESH_CONFIG: join(folder, '.meshrc.yaml') },
      });
      onTestFinished(gateway.stop);
      const response = await fetch(`${gateway.url}/odata/Measurement?$format=${format}`);
      expect(response.status).toBe(200);
      let lines = 0;
      let last = '';
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        const text = last + decoder.decode(chunk, { stream: true });
        const end = text.lastIndexOf('\n');
        last = text.slice(end + 1);
        for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
      }
      const header = format === 'csv' ? 1 : 0;
      expect([lines, last]).toStrictEqual([ROWS + header, '']);
      expect(gateway.peak() ?? 0).toBeLessThan(MEMORY_MIB);
      console.info(`${format}: at most ${Math.round(gateway.peak() ?? 0)} MiB`);
    },
    1_200_000,
  );

  it(`is aggregated within ${MEMORY_MIB} MiB`, async () => {
    const gateway = await startGatewayProcess({
      memoryMib: MEMORY_MIB,
      environment: { MESH_CONFIG: join(folder, '.meshrc.yaml') },
    });
    onTestFinished(gateway.stop);
    const query = '$apply=groupby((Sensor),aggregate($count as Count))';
    const response = await fetch(`${gateway.url}/odata/Measurement?${query}`);
    const { value } = (await response.json()) as { readonly value: readonly { readonly Count: number }[] };
    expect([response.status, value.length]).toStrictEqual([200, 1_000]);
    expect(new Set(value.map(({ Count }) => Count))).toStrictEqual(new Set([ROWS / 1_000]));
    expect(gateway.peak() ?? 0).toBeLessThan(MEMORY_MIB);
  }, 1_200_000);
});
