import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { documentAt, postsProject, register, serveRegistry } from './registry-gateway.ts';

let upstream: StandInUpstream;
beforeAll(async () => {
  upstream = await startStandInUpstream((_, reply) => reply.json([{ id: 1, title: 'A note' }]));
});
afterAll(() => upstream.close());

const OVERLAY = `overlay: 1.0.0
info: { title: Names, version: "1" }
actions:
  - target: $.components.schemas.Note
    update: { x-odata: { entitySet: Memo, pageSizes: 10 } }
`;

describe('an overlay that the operator has put beside the document of an API', () => {
  it('is part of what is reported and served', async () => {
    const project = postsProject(upstream.url);
    const gateway = await serveRegistry(project);
    project.write('openapi/notes.overlay.yaml', OVERLAY);
    expect((await register(gateway, 'Note', upstream.url)).status).toBe(201);
    const { body } = await gateway.ask('GET', '/Notes');
    expect(body).toMatchObject({
      entitySets: ['Memo'],
      model: {
        leftOut: expect.arrayContaining([
          {
            severity: 'error',
            file: 'overlay',
            pointer: '/actions/0/update/x-odata/pageSizes',
            message: 'x-odata has no key "pageSizes": is pageSize meant?',
          },
        ]),
      },
    });
    expect((await gateway.ask('POST', '/Notes/add')).status).toBe(200);
    expect(await gateway.entitySets()).toStrictEqual(['Post', 'Memo']);
  });

  it('keeps a document out that it does not fit', async () => {
    const project = postsProject(upstream.url);
    const gateway = await serveRegistry(project);
    project.write('openapi/notes.overlay.yaml', OVERLAY);
    await register(gateway, 'Note', upstream.url);
    const document = documentAt('Note', upstream.url).replaceAll('schemas/Note', 'schemas/Other');
    const { status, body } = await gateway.ask('PUT', '/Notes', {
      document: document.replace(/^ {4}Note:/m, '    Other:'),
    });
    expect([status, body.error]).toStrictEqual([
      400,
      {
        code: 'BadRequest',
        message:
          'The overlay notes.overlay.yaml cannot be applied: at line 4, column 13 (/actions/0/target): ' +
          '"$.components.schemas.Note" matches nothing in the document.',
        target: 'document',
      },
    ]);
  });

  it('has its mistakes in the report of the API', async () => {
    const project = postsProject(upstream.url);
    const gateway = await serveRegistry(project);
    await register(gateway, 'Note', upstream.url);
    project.write('openapi/notes.overlay.yaml', 'hello: world');
    expect((await gateway.ask('GET', '/Notes')).body.report).toStrictEqual({
      kind: 'bad-overlay',
      summary:
        'The overlay notes.overlay.yaml cannot be applied: at line 1, column 1: ' +
        'It is not an OpenAPI Overlay: it has no `overlay` version.',
      findings: [
        {
          severity: 'error',
          rule: 'bad-overlay',
          message: 'It is not an OpenAPI Overlay: it has no `overlay` version',
          line: 1,
          column: 1,
          pointer: '',
          file: 'overlay',
        },
      ],
    });
  });
});
