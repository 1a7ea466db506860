import { describe, expect, it } from 'vitest';
import { UNRESTRICTED } from '../../src/contract/principal.ts';
import { type Faces, openFaces, requestOf } from '../auth/faces.ts';

const integer = { type: 'integer' };

async function read({ odata }: Faces, target: string) {
  const { status, body } = await odata(requestOf(UNRESTRICTED, `GET ${target}`));
  return { status, json: JSON.parse(String(body)) };
}

function document(operationId: string): object {
  const item = { type: 'object', required: ['id'], properties: { id: integer } };
  const body = {
    type: 'object',
    properties: { items: { type: 'array', items: item }, next: { type: 'string' } },
  };
  const list = {
    operationId,
    parameters: [{ name: 'cursor', in: 'query', schema: { type: 'string' } }],
    responses: { 200: { description: 'ok', content: { 'application/json': { schema: body } } } },
  };
  return { openapi: '3.1.0', info: { title: 'A', version: '1' }, paths: { '/things': { get: list } } };
}

describe('the token of a next page', () => {
  it('is gone if the service reads the list by another operation', async () => {
    const open = (operation: string) =>
      openFaces(
        'A',
        document(operation),
        ({ target }, reply) =>
          reply.json(target.includes('cursor') ? { items: [{ id: 2 }] } : { items: [{ id: 1 }], next: 'n' }),
        {},
        'the same key',
      );
    const [before, same, other] = await Promise.all([open('things'), open('things'), open('allThings')]);
    const first = await read(before, '/Thing');
    const next = String(first.json['@odata.nextLink']).replace('http://x/odata', '');
    expect((await read(same, next)).status).toBe(200);
    const gone = await read(other, next);
    expect([gone.status, gone.json.error]).toMatchObject([410, { code: 'Gone', target: '$skiptoken' }]);
    await Promise.all([before, same, other].map((each) => each.close()));
  });
});
