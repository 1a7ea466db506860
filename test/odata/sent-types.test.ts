import { beforeAll, describe, expect, it } from 'vitest';
import { type ServedDocument, serveDocument } from '../openapi/served-document.ts';
import { atEndOfFile } from '../support/end-of-file.ts';

const answer = (schema: string) =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const body = (schema: string) => `{ content: { application/json: { schema: ${schema} } } }`;
const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;

/** Things that are read by one schema, created by a second and replaced by a third. */
const DOCUMENT = `
openapi: 3.1.0
info: { title: Things, version: '1' }
x-odata: { strict: true }
paths:
  /things:
    get: { operationId: things, responses: ${answer(`{ type: array, items: ${ref('Thing')} }`)} }
    post: { operationId: addThing, requestBody: ${body(ref('NewThing'))}, responses: ${answer(ref('Thing'))} }
  /things/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: thing, responses: ${answer(ref('Thing'))} }
    put: { operationId: putThing, requestBody: ${body(ref('WholeThing'))}, responses: ${answer(ref('Thing'))} }
  /notes:
    get: { operationId: notes, responses: ${answer(`{ type: array, items: ${ref('Note')} }`)} }
    post: { operationId: addNote, responses: ${answer(ref('Note'))} }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: note, responses: ${answer(ref('Note'))} }
components:
  schemas:
    Thing:
      type: object
      required: [id, name, size, place, made]
      properties:
        id: { type: string, readOnly: true }
        name: { type: string }
        code: { type: string, maxLength: 2 }
        size: { type: integer }
        colour: { type: string, default: red }
        made: { type: string, readOnly: true }
        place: { type: object, required: [town], properties: { town: { type: string }, street: { type: string } } }
    NewThing:
      type: object
      required: [code, made, colour, tags]
      properties:
        name: { type: string }
        code: { type: string, maxLength: 4 }
        size: { type: integer }
        made: { type: string }
        colour: { type: string, default: blue }
        tags: { type: array, items: { type: string } }
        place: { type: object, required: [street], properties: { town: { type: string }, street: { type: string } } }
    WholeThing:
      type: object
      required: [size]
      properties: { name: { type: string }, code: { type: [string, "null"] }, size: { type: integer } }
    Note: { type: object, required: [id, text], properties: { id: { type: string }, text: { type: string } } }
`;

const THING = { id: 't', name: 'n', size: 1, made: 'here', place: { town: 'x' } };

let served: ServedDocument;
beforeAll(async () => {
  const echo = (sent: object) => ({ ...THING, ...sent });
  const answers = {
    'POST /things': echo,
    'PUT /things/t': echo,
    'GET /things/t': THING,
    'POST /notes': () => ({ id: 'n', text: 'said' }),
  };
  served = await serveDocument(DOCUMENT, answers, atEndOfFile);
});

async function mistakes(path: string, method: string, sent: object): Promise<unknown> {
  const [status, json] = await served.ask(path, method, sent);
  if (status !== 400) return status;
  const { error } = json as {
    readonly error: { readonly message: string; readonly details?: readonly { message: string }[] };
  };
  return [error.message, ...(error.details ?? []).map(({ message }) => message)];
}

describe('what a create must have (Part 1, 11.4.2)', () => {
  it.each<readonly [string, object, unknown]>([
    [
      'is what its own schema requires',
      { Name: 'n' },
      ['Code: expected a value, found none.', 'Made: expected a value, found none.'],
    ],
    ['is not what reads always have', { Code: 'c', Made: 'm' }, 201],
    ['may not be null', { Code: null, Made: 'm' }, ['Code: expected a value, found null.']],
    ['keeps the facets of its own schema', { Code: 'four', Made: 'm' }, 201],
    [
      'is within complex values what these require there',
      { Code: 'c', Made: 'm', Place: { Town: 't' } },
      ['Place/Street: expected a value, found none.'],
    ],
    ['is within complex values not what reads have', { Code: 'c', Made: 'm', Place: { Street: 's' } }, 201],
  ])('%s', async (_, sent, expected) => {
    expect(await mistakes('Thing', 'POST', sent)).toStrictEqual(expected);
  });

  it('is sent with the defaults of its own schema, and with what reads call read-only', async () => {
    await served.ask('Thing', 'POST', { Code: 'c', Made: 'm' });
    expect(served.lastSent()).toBe('POST /things {"code":"c","made":"m","colour":"blue"}');
  });

  it('is told to clients where reads may have null', async () => {
    const lines = await served.csdl('<PropertyValue Property="RequiredProperties"');
    expect(lines).toHaveLength(1);
    expect(await served.csdl('<PropertyPath>Code')).toStrictEqual(['<PropertyPath>Code</PropertyPath>']);
  });

  it('is nothing where the document says nothing of its body', async () => {
    expect(await mistakes('Note', 'POST', {})).toBe(201);
  });
});

describe('what a replacement must have (Part 1, 11.4.4)', () => {
  it.each<readonly [string, object, unknown]>([
    ['is what its own schema requires', { Name: 'n' }, ['Size: expected a value, found none.']],
    ['may be null where its own schema says so', { Code: null, Size: 1 }, 204],
  ])('%s', async (_, sent, expected) => {
    expect(await mistakes("Thing('t')", 'PUT', sent)).toStrictEqual(expected);
  });
});
