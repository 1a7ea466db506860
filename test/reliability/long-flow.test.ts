import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Unzip, UnzipInflate } from 'fflate';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts';

const MEMORY_MIB = 512;
/** As many as would not fit into the memory together; `FLOW_ROWS=5000000` takes some minutes. */
const ROWS = Number(process.env['FLOW_ROWS'] ?? 600_000);
const SIZE = 1_000;

/** A list of measurements in pages, by cursors, with its length. */
function startMeasurements(): Promise<Server> {
  const server = createServer(({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://localhost');
    const begin = Number(searchParams.get('cursor') ?? 0);
    const end = Math.min(begin + SIZE, ROWS);
    const items = Array.from({ length: end - begin }, (_, index) => measurementAt(begin + index + 1));
    const next = end < ROWS ? { next_cursor: String(end) } : {};
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ items, total: ROWS, ...next }));
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
                    total: { type: 'integer' },
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

const LONGEST_MS = 2_400_000;

/** Counts the occurrences of a text in bytes that come in pieces. */
function counterOf(sought: string) {
  let rest = Buffer.alloc(0);
  const count = {
    found: 0,
    add(bytes: Uint8Array): void {
      const all = Buffer.concat([rest, bytes]);
      let end = 0;
      for (let at = all.indexOf(sought); at >= 0; at = all.indexOf(sought, end)) {
        count.found += 1;
        end = at + sought.length;
      }
      rest = all.subarray(Math.max(end, all.length - sought.length + 1));
    },
  };
  return count;
}

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

  async function start(environment: Readonly<Record<string, string>> = {}) {
    const gateway = await startGatewayProcess({
      memoryMib: MEMORY_MIB,
      environment: { MESH_CONFIG: join(folder, '.meshrc.yaml'), ...environment },
    });
    onTestFinished(gateway.stop);
    return gateway;
  }

  function assertPeak({ peak }: GatewayProcess, what: string): void {
    expect(peak() ?? 0).toBeLessThan(MEMORY_MIB);
    console.info(`${what}: at most ${Math.round(peak() ?? 0)} MiB`);
  }

  /** Counts the occurrences of a text in the content of a URL, which is not held. */
  async function countIn(url: string, sought: string): Promise<number> {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    const count = counterOf(sought);
    for await (const chunk of response.body ?? []) count.add(chunk);
    return count.found;
  }

  const FORMATS = [
    ['csv', 'csv', '\r\n', ROWS + 1],
    ['jsonl', 'jsonl', '\n', ROWS],
    ['json with the number of rows', `json&$count=true&$top=${ROWS}`, '"Id":', ROWS],
  ] as const;

  it.each(FORMATS)(
    `is passed on as %s within ${MEMORY_MIB} MiB`,
    async (what, format, sought, found) => {
      const gateway = await start();
      expect(await countIn(`${gateway.url}/odata/Measurement?$format=${format}`, sought)).toBe(found);
      assertPeak(gateway, what);
    },
    LONGEST_MS,
  );

  it(
    `is passed on as a workbook within ${MEMORY_MIB} MiB`,
    async () => {
      const gateway = await start();
      const rows = Math.min(ROWS, 1_000_000);
      const response = await fetch(`${gateway.url}/odata/Measurement?$format=xlsx&$top=${rows}`);
      expect(response.status).toBe(200);
      const count = counterOf('<row ');
      const unzip = new Unzip((file) => {
        file.ondata = (_, bytes) => count.add(bytes);
        if (file.name === 'xl/worksheets/sheet1.xml') file.start();
      });
      unzip.register(UnzipInflate);
      for await (const chunk of response.body ?? []) unzip.push(chunk);
      unzip.push(new Uint8Array(), true);
      expect(count.found).toBe(rows + 1);
      assertPeak(gateway, 'xlsx');
    },
    LONGEST_MS,
  );

  it(
    `is passed on three times at once within ${MEMORY_MIB} MiB`,
    async () => {
      const gateway = await start({ EXPORTS_AT_ONCE: '3' });
      const rows = Math.floor(ROWS / 3);
      const url = `${gateway.url}/odata/Measurement?$format=csv&$top=${rows}`;
      const counts = await Promise.all([url, url, url].map((each) => countIn(each, '\r\n')));
      expect(counts).toStrictEqual([rows + 1, rows + 1, rows + 1]);
      assertPeak(gateway, 'three times csv');
    },
    LONGEST_MS,
  );

  it(`is aggregated within ${MEMORY_MIB} MiB`, async () => {
    const gateway = await start();
    const query = '$apply=groupby((Sensor),aggregate($count as Count))';
    const response = await fetch(`${gateway.url}/odata/Measurement?${query}`);
    const { value } = (await response.json()) as { readonly value: readonly { readonly Count: number }[] };
    expect([response.status, value.length]).toStrictEqual([200, 1_000]);
    expect(new Set(value.map(({ Count }) => Count))).toStrictEqual(new Set([ROWS / 1_000]));
    expect(gateway.peak() ?? 0).toBeLessThan(MEMORY_MIB);
  }, 1_200_000);
});
