import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const documentOf = (body: string, put: string) => `openapi: 3.1.0
info: { title: Photos, version: "1" }
paths:
  /photos:
    get: { operationId: photos, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Photo" } } } } } } }
    post:
      operationId: createPhoto
      requestBody: { content: { ${body} } }
      responses: { "201": { content: { application/json: { schema: { $ref: "#/components/schemas/Photo" } } } } }
  /photos/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32 } }]
    get: { operationId: photo, responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Photo" } } } } } }
  /photos/{id}/content:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32 } }]
    get: { operationId: content, responses: { "200": { content: { image/png: {} } } } }
    ${put === '' ? '' : 'put: { operationId: setContent, requestBody: { content: { image/png: {} } }, responses: { "204": { description: done } } }'}
components:
  schemas:
    Photo:
      type: object
      required: [id]
      properties: { id: { type: integer, format: int32, readOnly: true }, title: { type: string } }
      x-odata: { hasStream: true, stream: { get: content${put} } }
`;

const JSON_BODY = 'application/json: { schema: { $ref: "#/components/schemas/Photo" } }';
const STREAM_BODY = 'image/png: {}';
const PUT = ', put: setContent';

describe('a media entity (Part 1, 11.4.8.1)', () => {
  it.each([
    [
      'from JSON alone, and a stream afterwards',
      JSON_BODY,
      PUT,
      'POST takes the new entity as JSON, not its stream. PUT to its /$value takes the stream afterwards.',
      415,
    ],
    ['from JSON alone', JSON_BODY, '', 'POST takes the new entity as JSON, not its stream.', 415],
    ['from its stream alone', STREAM_BODY, PUT, 'POST takes the stream of the new entity.', 201],
    [
      'from either',
      `${STREAM_BODY}, ${JSON_BODY}`,
      PUT,
      'POST takes the stream of the new entity, or the entity as JSON.',
      201,
    ],
  ])('is created as $metadata says: %s', async (_, body, put, description, status) => {
    const photo = { id: 1, title: 'x' };
    const served = await serveDocument(documentOf(body, put), { 'POST /photos': () => photo });
    const lines = await served.csdl(`<PropertyValue Property="Description" String="${description}"`);
    expect(lines).toHaveLength(1);
    const answer = await fetch(`${served.gateway.url}/odata/Photo`, {
      method: 'POST',
      headers: { 'content-type': 'image/png' },
      body: '"\\u0001"',
    });
    const { error } = JSON.parse(await answer.text());
    const message = `Content-Type: expected application/json with the new entity, not its stream.${put === '' ? '' : ' PUT to its /$value takes the stream afterwards.'}`;
    expect([answer.status, error?.message]).toStrictEqual([status, status === 415 ? message : undefined]);
  });
});
