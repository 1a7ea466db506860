import type { Behaviour } from '../../support/stand-in-upstream.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const found = (schema: object) => ({ 200: { description: 'Found.', ...json(schema) } });
const created = (schema: object) => ({ 201: { description: 'Created.', ...json(schema) } });
const list = (name: string) => ({ type: 'array', items: ref(name) });
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int32' } };
const GONE = { 204: { description: 'Gone.' } };

/** Notes, which can be changed and deleted, with remarks below them; and labels, which stay once they are there. */
export const NOTES_DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1.0.0' },
  servers: [{ url: 'http://localhost' }],
  paths: {
    '/notes': {
      get: { operationId: 'notes', responses: found(list('Note')) },
      post: { operationId: 'createNote', requestBody: json(ref('Note')), responses: created(ref('Note')) },
    },
    '/notes/{id}': {
      parameters: [ID],
      get: { operationId: 'note', responses: found(ref('Note')) },
      patch: { operationId: 'changeNote', requestBody: json(ref('Note')), responses: found(ref('Note')) },
      delete: { operationId: 'deleteNote', responses: GONE },
    },
    '/notes/{id}/remarks': {
      parameters: [ID],
      get: { operationId: 'remarks', responses: found(list('Remark')) },
      post: {
        operationId: 'createRemark',
        requestBody: json(ref('Remark')),
        responses: created(ref('Remark')),
      },
    },
    '/labels': {
      get: { operationId: 'labels', responses: found(list('Label')) },
      post: { operationId: 'createLabel', requestBody: json(ref('Label')), responses: created(ref('Label')) },
    },
    '/labels/{id}': { parameters: [ID], get: { operationId: 'label', responses: found(ref('Label')) } },
  },
  components: {
    schemas: {
      Note: {
        type: 'object',
        required: ['id'],
        'x-odata': { etag: 'revision', grants: { Writer: ['View', 'Insert', 'Delete'], Adder: ['Insert'] } },
        properties: {
          id: { type: 'integer', format: 'int32', readOnly: true },
          revision: { type: 'integer', format: 'int32', readOnly: true },
          text: { type: ['string', 'null'], maxLength: 10 },
        },
      },
      Remark: {
        type: 'object',
        required: ['number'],
        'x-odata': { key: ['number'] },
        properties: {
          number: { type: 'integer', format: 'int32', readOnly: true },
          text: { type: 'string' },
        },
      },
      Label: {
        type: 'object',
        required: ['id'],
        'x-odata': { grants: { Writer: ['View'] } },
        properties: { id: { type: 'integer', format: 'int32', readOnly: true }, text: { type: 'string' } },
      },
    },
  },
};

/** Keeps what it is sent, under numbers from 10 on; it does not take the text `fail`, and does not delete `keep`. */
export function notesApi(): Behaviour {
  const kept = new Map<string, Readonly<Record<string, unknown>>>([
    ['/notes/1', { id: 1, revision: 1, text: 'first' }],
  ]);
  let last = 10;
  return ({ method, target, body }, reply) => {
    const sent = body.length === 0 ? {} : JSON.parse(body.toString());
    const known = kept.get(target);
    if (sent.text === 'fail') reply.send(500, '{}');
    else if (method === 'POST') {
      const entity = { text: null, ...sent, id: last, number: last, revision: 1 };
      kept.set(`${target}/${last}`, entity);
      last += 1;
      reply.send(201, JSON.stringify(entity));
    } else if (method === 'GET' && /^\/(notes|labels|notes\/\d+\/remarks)$/.test(target)) {
      reply.json([...kept].filter(([path]) => path.startsWith(`${target}/`)).map(([, entity]) => entity));
    } else if (known === undefined) reply.send(404, '{}');
    else if (method === 'DELETE' && known['text'] === 'keep') reply.send(500, '{}');
    else if (method === 'DELETE') {
      kept.delete(target);
      reply.send(204);
    } else {
      const entity = method === 'PATCH' ? { ...known, ...sent, revision: 2 } : known;
      kept.set(target, entity);
      reply.json(entity);
    }
  };
}
