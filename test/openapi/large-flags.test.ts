import { expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Doors, version: 1.0.0 }
paths:
  /doors:
    get: { operationId: doors, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Door" } } } } } } }
    post: { operationId: addDoor, requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Door" } } } }, responses: { "201": { content: { application/json: { schema: { $ref: "#/components/schemas/Door" } } } } } }
components:
  schemas:
    Door:
      type: object
      required: [id]
      properties:
        id: { type: integer, format: int32 }
        opens: { type: string, enum: [in, out], x-odata: { enum: Way, flags: true, members: { in: 1, out: 4294967296 } } }
`;

it.each([4_294_967_297, '4294967297', '1,4294967296', 'in,out'])(
  'flags beyond 32 bits may be the sum %j',
  async (opens) => {
    const { ask, lastSent } = await serveDocument(DOCUMENT, { 'POST /doors': (sent: object) => sent });
    expect(await ask('Door', 'POST', { Id: 1, Opens: opens })).toEqual([201, { Id: 1, Opens: 'in,out' }]);
    expect(lastSent()).toBe('POST /doors {"id":1,"opens":"in,out"}');
  },
);
