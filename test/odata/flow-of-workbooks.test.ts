import { once } from 'node:events';
import { request } from 'node:http';
import { readXlsx } from 'hucre/xlsx';
import { describe, expect, it } from 'vitest';
import { type ListDocument, servePaged, things } from '../openapi/paged-list.ts';

const integer = { type: 'integer' };
const SIZE = 500;
const ROWS = 6_000;
const document = (total: boolean): ListDocument => ({
  parameters: { page: { ...integer, default: 1 }, limit: { ...integer, maximum: SIZE } },
  answer: total ? { total: integer } : {},
});

function serveList(options: { readonly total?: number; readonly brokenPage?: number } = {}) {
  return servePaged(document(options.total !== undefined), ({ number }, reply) => {
    const page = number('page', 1);
    if (page === options.brokenPage) return reply.send(500, '{}');
    const items = things(ROWS).slice((page - 1) * SIZE, page * SIZE);
    return reply.json({ items, ...(options.total !== undefined && { total: options.total }) });
  });
}

const PATH = 'Thing?$format=xlsx';

describe('a long list as a workbook', () => {
  it('is passed on, and is the workbook that is written as a whole', async () => {
    const list = await serveList();
    const response = await fetch(`${list.gateway.url}/odata/${PATH}`);
    expect(response.headers.get('transfer-encoding')).toBe('chunked');
    expect(response.headers.get('content-disposition')).toContain('Thing.xlsx');
    const bytes = Buffer.from(await response.arrayBuffer());
    const [sheet] = (await readXlsx(bytes)).sheets;
    expect(sheet?.rows).toStrictEqual([['Id', 'Name'], ...things(ROWS).map(({ id, name }) => [id, name])]);
    const answer = await fetch(`${list.gateway.url}/odata/$batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ requests: [{ id: '1', method: 'GET', url: PATH }] }),
    });
    const { responses } = (await answer.json()) as {
      readonly responses: readonly { readonly body: string }[];
    };
    expect(Buffer.from(responses[0]?.body ?? '', 'base64').equals(bytes)).toBe(true);
  });

  it('is no workbook if it breaks off', async () => {
    const list = await serveList({ brokenPage: 7 });
    const response = await fetch(`${list.gateway.url}/odata/${PATH}`);
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  it('has no end where trailers tell that it broke off', async () => {
    const list = await serveList({ brokenPage: 7 });
    const sent = request(`${list.gateway.url}/odata/${PATH}`, { headers: { te: 'trailers' } });
    sent.end();
    const [response] = await once(sent, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    expect(JSON.parse(response.trailers['odata-error'])).toMatchObject({
      error: { code: 'UpstreamUnavailable' },
    });
    await expect(readXlsx(Buffer.concat(chunks))).rejects.toThrow();
  });

  it('is refused on its first page if it has more rows than a sheet', async () => {
    const list = await serveList({ total: 2_000_000 });
    const response = await fetch(`${list.gateway.url}/odata/${PATH}`);
    expect([response.status, list.queries().length]).toStrictEqual([413, expect.any(Number)]);
    expect(list.queries().length).toBeLessThan(8);
  });
});
