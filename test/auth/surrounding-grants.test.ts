import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeGrants } from '../../src/cli/write-report.ts';
import { askGraphQL, type Faces, openFaces, requestOf, userWith } from './faces.ts';

const LEVELS = ['Root', 'Tag', 'Path', 'Schema'] as const;
type Level = (typeof LEVELS)[number];

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const inPath = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'integer' } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const one = (name: string) => ({ 200: { description: 'One.', ...json(ref(name)) } });
const many = (name: string) => ({
  200: { description: 'All.', ...json({ type: 'array', items: ref(name) }) },
});
const TEXT = { 200: { description: 'A text.', ...json({ type: 'string' }) } };

/** The role with the level's name has all permissions. */
const grantsOf = (level: Level) => ({
  'x-odata': { grants: { [level]: ['View', 'Insert', 'Update', 'Delete', 'Call'] } },
});

/** A list, and a function beside it, that have grants at these levels. */
function documentWith(levels: readonly Level[]) {
  const at = (level: Level) => (levels.includes(level) ? grantsOf(level) : {});
  const tags = ['things'];
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    ...at('Root'),
    tags: [
      { name: 'things', ...at('Tag') },
      { name: 'other', ...grantsOf('Tag') },
    ],
    paths: {
      '/things': {
        ...at('Path'),
        get: { tags, operationId: 'things', responses: many('Thing') },
        post: {
          tags,
          operationId: 'addThing',
          requestBody: json(ref('Thing')),
          responses: { 201: one('Thing')[200] },
        },
      },
      '/things/{id}': {
        ...at('Path'),
        parameters: [inPath('id')],
        get: { tags, operationId: 'thing', responses: one('Thing') },
        patch: { tags, operationId: 'changeThing', requestBody: json(ref('Thing')), responses: one('Thing') },
        delete: { tags, operationId: 'removeThing', responses: { 204: { description: 'Gone.' } } },
      },
      '/things/{id}/weigh': {
        ...at('Path'),
        parameters: [inPath('id')],
        post: { tags, operationId: 'weigh', responses: TEXT },
      },
      '/find': {
        ...at('Path'),
        get: {
          tags,
          operationId: 'find',
          parameters: [{ name: 'word', in: 'query', required: true, schema: { type: 'string' } }],
          responses: TEXT,
          ...(levels.includes('Schema') ? { 'x-odata': { grants: { Schema: ['Call'] } } } : {}),
        },
      },
    },
    components: {
      schemas: {
        Thing: {
          type: 'object',
          required: ['id'],
          properties: { id: { type: 'integer', format: 'int32' }, text: { type: 'string' } },
          ...at('Schema'),
        },
      },
    },
  };
}

const open = (document: object): Promise<Faces> =>
  openFaces('Things', document, ({ method, target }, reply) => {
    const thing = { id: 1, page: 1, text: 'x' };
    if (method === 'DELETE') reply.send(204);
    else if (/find|weigh/.test(target)) reply.json('found');
    else reply.json(method === 'GET' && /s$/.test(target) ? [thing] : thing);
  });

const ODATA: readonly (readonly [call: string, body?: object])[] = [
  ['GET /Thing'],
  ['GET /Thing(1)'],
  ['POST /Thing', { Id: 2 }],
  ['PATCH /Thing(1)', { Text: 'y' }],
  ['DELETE /Thing(1)'],
  ["GET /Find(Word='x')"],
  ['POST /Thing(1)/Things.Weigh', {}],
];

const GRAPHQL: readonly string[] = [
  '{ things { text } }',
  '{ thing(id: 1) { text } }',
  'mutation { createThing(input: { id: 2 }) { text } }',
  'mutation { updateThing(id: 1, input: { text: "x" }) { text } }',
  'mutation { deleteThing(id: 1) }',
  '{ find(word: "x") }',
  'mutation { weighThing(id: 1) }',
];

/** The admitted roles; checks that others make no call. */
async function rolesLetThrough(
  faces: Faces,
  isDone: (role: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const done: string[] = [];
  for (const role of [...LEVELS, 'Nobody']) {
    const before = faces.calls();
    if (await isDone(role)) done.push(role);
    else expect([role, faces.calls()]).toStrictEqual([role, before]);
  }
  return done;
}

const byOData = (faces: Faces, [call, body]: (typeof ODATA)[number]) =>
  rolesLetThrough(faces, async (role) => {
    const { status } = await faces.odata(requestOf(userWith(role), call, body));
    expect([call, role, status]).toStrictEqual([call, role, expect.toBeOneOf([200, 201, 204, 403])]);
    return status !== 403;
  });

const byGraphQL = (faces: Faces, query: string) =>
  rolesLetThrough(faces, async (role) => {
    const { errors = [] } = await askGraphQL(faces, userWith(role), query);
    const codes = errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code);
    expect([query, role, codes]).toStrictEqual([query, role, expect.toBeOneOf([[], ['Forbidden']])]);
    return errors.length === 0;
  });

/** All sets of levels, and the one that decides: nearer ones override those around them. */
const COMBINATIONS = Array.from({ length: 2 ** LEVELS.length }, (_, bits) => {
  const levels = LEVELS.filter((_level, at) => (bits & (1 << at)) !== 0);
  return { name: levels.join(' and ') || 'nowhere', levels, decides: levels.slice(-1) as readonly string[] };
});

describe.each(COMBINATIONS)('with grants at $name', ({ levels, decides }) => {
  let faces: Faces;
  beforeAll(async () => {
    faces = await open(documentWith(levels));
  });
  afterAll(() => faces.close());

  it(`OData is for ${decides}`, async () => {
    for (const requested of ODATA) {
      expect([requested[0], await byOData(faces, requested)]).toStrictEqual([requested[0], decides]);
    }
  });

  it(`GraphQL is for ${decides}`, async () => {
    for (const query of GRAPHQL) {
      expect([query, await byGraphQL(faces, query)]).toStrictEqual([query, decides]);
    }
  });
});

/** Changes parts of a document by their paths of names. */
function changed(document: object, changes: Readonly<Record<string, object>>): object {
  const copy = structuredClone(document);
  for (const [place, value] of Object.entries(changes)) {
    const part = place.split(' ').reduce<unknown>((found, name) => Reflect.get(Object(found), name), copy);
    Object.assign(Object(part), value);
  }
  return copy;
}

const grants = (roles: Readonly<Record<string, readonly string[]>>) => ({ 'x-odata': { grants: roles } });

async function grantedBy(document: object): Promise<string> {
  const faces = await open(document);
  try {
    return writeGrants(faces.model);
  } finally {
    await faces.close();
  }
}

const ROOT = documentWith(['Root']);
const ALL = 'View Insert Update Delete Call';

describe('grants around a resource', () => {
  it('that one path keeps for some are not to be had by another', async () => {
    const kept = changed(ROOT, {
      'paths /things/{id}': grants({ Root: ['View', 'Update'], Admin: ['View', 'Delete'] }),
    });
    expect(await grantedBy(kept)).toBe(
      '       Admin   Root\nThing  Delete  View Insert Update Call\nFind   -       Call\n',
    );
  });

  it('of a bound operation decide about Call', async () => {
    const kept = changed(ROOT, { 'paths /things/{id}/weigh': grants({ Admin: ['Call'] }) });
    expect(await grantedBy(kept)).toBe(
      '       Admin  Root\nThing  Call   View Insert Update Delete\nFind   -      Call\n',
    );
  });

  it('of several tags must all grant it', async () => {
    const tags = [
      { name: 'things', ...grants({ A: ['View', 'Call'], B: ['View'] }) },
      { name: 'more', ...grants({ A: ['View'], C: ['View'] }) },
    ];
    const both = changed(ROOT, { 'paths /things get': { tags: ['things', 'more', 'unknown'] } });
    expect(await grantedBy({ ...both, tags })).toBe('       A\nThing  View Call\nFind   Call\n');
  });

  it('that are empty grant nothing, whatever is said around them', async () => {
    const closed = changed(ROOT, {
      'paths /things': grants({}),
      'paths /things/{id}': grants({}),
      'paths /find': grants({}),
      'paths /things/{id}/weigh': grants({}),
    });
    expect(await grantedBy(closed)).toBe('No role may do anything: grants in x-odata say who may do what.\n');
  });

  it('are those of a path that is a component', async () => {
    const { paths } = ROOT;
    const document = {
      ...ROOT,
      paths: { ...paths, '/find': { $ref: '#/components/pathItems/Find' } },
      components: {
        ...ROOT.components,
        pathItems: { Find: { ...paths['/find'], ...grants({ Finder: ['Call'] }) } },
      },
    };
    expect(await grantedBy(document)).toBe(`       Finder  Root\nThing  -       ${ALL}\nFind   Call    -\n`);
  });

  it('of what leads to it from elsewhere count where that path has some', async () => {
    const leading = (more: object) =>
      changed(ROOT, {
        paths: {
          '/boxes': { get: { operationId: 'boxes', responses: many('Box') } },
          '/boxes/{box}': { parameters: [inPath('box')], get: { operationId: 'box', responses: one('Box') } },
          '/boxes/{box}/things': {
            ...more,
            parameters: [inPath('box')],
            get: { tags: ['other'], operationId: 'boxThings', responses: many('Thing') },
          },
        },
        'components schemas': {
          Box: { type: 'object', required: ['box'], properties: { box: { type: 'integer' } } },
        },
      });
    expect(await grantedBy(leading({}))).toBe(`       Root\nThing  ${ALL}\nBox    ${ALL}\nFind   Call\n`);
    expect(await grantedBy(leading(grants({ Admin: ['View'] })))).toBe(
      `       Root\nThing  Insert Update Delete Call\nBox    ${ALL}\nFind   Call\n`,
    );
  });

  it('make contained entities a resource of their own', async () => {
    const containing = (more: object) =>
      changed(ROOT, {
        paths: {
          '/things/{id}/notes': {
            ...more,
            parameters: [inPath('id')],
            get: { operationId: 'notes', responses: many('Note') },
          },
          '/things/{id}/notes/{page}': {
            ...more,
            parameters: [inPath('id'), inPath('page')],
            get: { operationId: 'note', responses: one('Note') },
            delete: { operationId: 'removeNote', responses: { 204: { description: 'Gone.' } } },
          },
        },
        'components schemas': {
          Note: { type: 'object', required: ['page'], properties: { page: { type: 'integer' } } },
        },
      });
    expect(await grantedBy(containing({}))).toBe(
      `             Root\nThing        ${ALL}\nThingsNotes  ${ALL}\nFind         Call\n`,
    );
    const own = containing(grants({ Reader: ['View'], Editor: ['View', 'Delete'] }));
    expect(await grantedBy(own)).toBe(
      `             Editor       Reader  Root\nThing        -            -       ${ALL}\nThingsNotes  View Delete  View    -\nThing/Notes  View Delete  View    -\nFind         -            -       Call\n`,
    );
    const faces = await open(own);
    const status = async (role: string, call: string) =>
      (await faces.odata(requestOf(userWith(role), call))).status;
    try {
      expect([
        await status('Root', 'GET /Thing(1)/Notes'),
        await status('Reader', 'GET /Thing(1)/Notes'),
        await status('Reader', 'DELETE /Thing(1)/Notes(1)'),
        await status('Editor', 'DELETE /Thing(1)/Notes(1)'),
        await status('Root', 'GET /Thing?$expand=Notes'),
      ]).toStrictEqual([404, 200, 403, 204, 400]);
    } finally {
      await faces.close();
    }
  });
});
