import { expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

/** Single objects of four types: with a key that is said, with properties that may be one, without, and with a base. */
const DOCUMENT = `
openapi: 3.1.0
info: { title: Test, version: '1' }
x-odata: { namespace: Test }
paths:
  /said: { get: { operationId: said, responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Said' } } } } } } }
  /found: { get: { operationId: found, responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Found' } } } } } } }
  /vague: { get: { operationId: vague, responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Vague' } } } } } } }
components:
  schemas:
    Said:
      type: object
      required: [name, code]
      x-odata: { key: code }
      properties: { name: { type: string }, code: { type: string } }
    Found:
      type: object
      required: [ratio, words, level]
      properties:
        note: { type: string }
        ratio: { type: number, format: double }
        words: { type: array, items: { type: string } }
        level: { type: string, enum: [low, high] }
    Vague: { type: object, properties: { note: { type: string } } }
`;

it('has a key for the types of singletons in 4.0 metadata, and in 4.01 where the document says one (CSDL, 6.5)', async () => {
  const answers = { 'GET /found': { note: null, ratio: 0.5, words: [], level: 'low' } };
  const { csdl, ask } = await serveDocument(DOCUMENT, answers);
  const types = ['<EntityType Name="Said">', '<EntityType Name="Found">', '<EntityType Name="Vague">'];
  expect(await csdl('<EntityType')).toStrictEqual(types);
  expect(await csdl('<PropertyRef', '4.0')).toStrictEqual([
    '<PropertyRef Name="Code"/>',
    '<PropertyRef Name="Level"/>',
  ]);
  expect(await csdl('<PropertyRef', '4.01')).toStrictEqual(['<PropertyRef Name="Code"/>']);
  expect(await ask('Found')).toStrictEqual([200, { Note: null, Ratio: 0.5, Words: [], Level: 'low' }]);
});
