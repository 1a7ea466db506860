const one = { 'application/json': { schema: { $ref: '#/components/schemas/Photo' } } };
const many = { 'application/json': { schema: { type: 'array', items: one['application/json'].schema } } };
const found = (content: object) => ({ 200: { description: 'Found.', content } });
const done = { 204: { description: 'Done.' } };
const path = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'integer' } });

/** Photos are media entities, with a thumbnail beside; reports are streams that belong to nothing. */
export const PHOTOS_DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Photos', version: '1' },
  paths: {
    '/photos': {
      get: { operationId: 'photos', responses: found(many) },
      post: {
        operationId: 'createPhoto',
        requestBody: { content: { 'image/*': {} } },
        responses: { 201: { description: 'Created.', content: one } },
      },
    },
    '/photos/{id}': {
      parameters: [path('id')],
      get: { operationId: 'photo', responses: found(one) },
    },
    '/photos/{photoId}/content': {
      parameters: [path('photoId')],
      get: { operationId: 'content', responses: found({ 'image/*': {} }) },
      put: {
        operationId: 'setContent',
        requestBody: { content: { 'image/png': {}, 'image/jpeg': {} } },
        responses: done,
      },
      delete: { operationId: 'removeContent', responses: done },
    },
    '/photos/{id}/thumbnail': {
      parameters: [path('id')],
      get: { operationId: 'thumbnail', responses: found({ 'image/png': {} }) },
      put: { operationId: 'setThumbnail', responses: done },
    },
    '/photos/{id}/print': {
      parameters: [path('id')],
      get: { operationId: 'print', responses: found({ 'application/pdf': {} }) },
    },
    '/report': {
      get: {
        operationId: 'report',
        parameters: [{ name: 'year', in: 'query', required: true, schema: { type: 'integer' } }],
        responses: found({ 'application/pdf': {} }),
      },
    },
    '/export': {
      post: {
        operationId: 'export',
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', required: ['from'], properties: { from: { type: 'string' } } },
            },
          },
        },
        responses: found({ 'text/csv': {} }),
      },
    },
  },
  components: {
    schemas: {
      Photo: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'integer' },
          title: { type: ['string', 'null'] },
          mime_type: { type: ['string', 'null'] },
          content_tag: { type: ['string', 'null'] },
          thumbnail_version: { type: ['integer', 'null'] },
        },
        'x-odata': {
          entitySet: 'Photos',
          hasStream: true,
          stream: {
            get: 'content',
            put: 'setContent',
            delete: 'removeContent',
            contentType: 'mime_type',
            etag: 'content_tag',
          },
          streams: [{ name: 'Thumbnail', get: 'thumbnail', put: 'setThumbnail', etag: 'thumbnail_version' }],
        },
      },
    },
  },
};
