import { expect, it } from 'vitest';
import { arrayOf } from '../../src/contract/row.ts';
import { listOf } from '../support/model.ts';
import { answer, openDocument } from './document-scene.ts';
import { callContext } from './support.ts';

/** Names of properties in the upstream's JSON, which may be any text, and what the model calls them. */
const NAMES = {
  id: 'Id',
  constructor: 'Constructor',
  hasOwnProperty: 'HasOwnProperty',
  'it\'s "said"': 'ItSSaid',
  'in\nlines': 'InLines',
  'back\\slash\u2028': 'BackSlash',
  '${name}`]': 'Name',
  größe: 'Größe',
};

const NOTE = {
  type: 'object',
  properties: Object.fromEntries(Object.keys(NAMES).map((name) => [name, { type: 'string' }])),
};

const REFERENCE = `{ $ref: '#/components/schemas/Note' }`;
const ID = '{ name: id, in: path, required: true, schema: { type: string } }';
const PATHS = `
/notes: { get: { operationId: listNotes, responses: ${answer(`{ type: array, items: ${REFERENCE} }`)} } }
/notes/{id}: { get: { operationId: readNote, parameters: [${ID}], responses: ${answer(REFERENCE)} } }`;

it('reads values whatever the names of their properties are', async () => {
  const whole = Object.fromEntries(Object.keys(NAMES).map((name) => [name, `the ${name}`]));
  const scene = await openDocument(PATHS, JSON.stringify({ Note: NOTE }), (_, reply) =>
    reply.json([whole, { id: 'bare' }]),
  );
  const read = listOf(scene.set('Note'), Object.values(NAMES));
  const { data } = await scene.source.readCollection(read, callContext());
  const all = Object.entries(NAMES);
  expect(arrayOf(data)).toStrictEqual([
    Object.fromEntries(all.map(([upstreamName, name]) => [name, `the ${upstreamName}`])),
    Object.fromEntries(all.map(([, name]) => [name, name === 'Id' ? 'bare' : null])),
  ]);
});
