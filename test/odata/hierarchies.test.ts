import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ServedDocument, serveDocument } from '../openapi/served-document.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Places, version: "1" }
paths:
  /regions:
    get: { operationId: regions, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Region" } } } } } } }
  /regions/{id}:
    get:
      operationId: region
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        "200":
          content: { application/json: { schema: { $ref: "#/components/schemas/Region" } } }
          links: { parent: { operationId: region, parameters: { id: $response.body#/parent_id } } }
  /shops:
    get: { operationId: shops, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Shop" } } } } } } }
  /shops/{id}:
    get:
      operationId: shop
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        "200":
          content: { application/json: { schema: { $ref: "#/components/schemas/Shop" } } }
          links: { region: { operationId: region, parameters: { id: $response.body#/region_id } } }
components:
  schemas:
    Region:
      type: object
      required: [id, name]
      properties: { id: { type: integer }, parent_id: { type: [integer, "null"] }, name: { type: string } }
      x-odata: { grants: { User: [View] } }
    Shop:
      type: object
      required: [id, region_id]
      properties: { id: { type: integer }, region_id: { type: [integer, "null"] } }
      x-odata: { grants: { User: [View] } }
`;

/** A world with two roots, a region whose parent is not there, and two that are each other's parent. */
const region = (id: number, parent_id: number | null, name: string) => ({ id, parent_id, name });
const REGIONS = [
  region(6, 5, 'Bavaria'),
  region(1, null, 'America'),
  region(2, null, 'Europe'),
  region(3, 1, 'Peru'),
  region(4, 2, 'France'),
  region(5, 2, 'Germany'),
  region(7, 77, 'Atlantis'),
  region(8, 9, 'Hen'),
  region(9, 8, 'Egg'),
];
const SHOPS = [
  { id: 1, region_id: 6 },
  { id: 2, region_id: 3 },
  { id: 3, region_id: 2 },
  { id: 4, region_id: 6 },
  { id: 5, region_id: null },
];

let served: ServedDocument;
beforeAll(async () => {
  const single = REGIONS.map((each) => [`GET /regions/${each.id}`, each] as const);
  const answers = { 'GET /regions': REGIONS, 'GET /shops': SHOPS, ...Object.fromEntries(single) };
  served = await serveDocument(DOCUMENT, answers, afterAll);
});

async function applied(set: string, apply: string): Promise<unknown> {
  const [status, answer] = await served.ask(`${set}?$apply=${encodeURIComponent(apply)}`);
  if (status !== 200) return [status, answer];
  const { value } = answer as { value: readonly { Name?: string; Id: number }[] };
  return value.map(({ Name, Id }) => Name ?? Id).join(' ');
}

const TREE = '$root/Region,Parent,Id';

describe('hierarchical transformations (Data Aggregation 4.0, 6.2)', () => {
  it.each([
    [`ancestors(${TREE},filter(Name eq 'Bavaria'))`, 'Europe Germany'],
    [`ancestors(${TREE},filter(Name eq 'Bavaria'),keep start)`, 'Bavaria Europe Germany'],
    [`ancestors(${TREE},filter(Name eq 'Bavaria'),1)`, 'Germany'],
    [`ancestors(${TREE},filter(Name eq 'Bavaria'),1,keep start)`, 'Bavaria Germany'],
    [`ancestors(${TREE},filter(Name in ('Germany','Bavaria')))`, 'Europe Germany'],
    [`descendants(${TREE},filter(Name eq 'Europe'))`, 'Bavaria France Germany'],
    [`descendants(${TREE},filter(Name eq 'Europe'),1)`, 'France Germany'],
    [`descendants(${TREE},filter(Name eq 'Europe'),keep start)`, 'Bavaria Europe France Germany'],
    [`filter(Name ne 'Germany')/descendants(${TREE},filter(Name eq 'Europe'))`, 'Bavaria France'],
    [`descendants(${TREE},filter(false))`, ''],
    [`ancestors(${TREE},filter(Name eq 'Atlantis'))`, ''],
  ])('%s', async (apply, expected) => {
    expect(await applied('Region', apply)).toBe(expected);
  });

  it.each([
    [`traverse(${TREE},preorder)`, 'America Peru Europe France Germany Bavaria Atlantis'],
    [`traverse(${TREE},postorder)`, 'Peru America France Bavaria Germany Europe Atlantis'],
    [`traverse(${TREE},preorder,Name desc)`, 'Europe Germany Bavaria France Atlantis America Peru'],
    [
      `descendants(${TREE},filter(Name eq 'Europe'),keep start)/traverse(${TREE},preorder,Name)`,
      'Europe France Germany Bavaria',
    ],
    [`traverse(${TREE},preorder,filter(Name ne 'Europe'))`, 'America Peru France Germany Bavaria Atlantis'],
    [
      `traverse(${TREE},postorder,descendants(${TREE},filter(Name eq 'Europe'),keep start),Name desc)`,
      'Bavaria Germany France Europe',
    ],
  ])('%s', async (apply, expected) => {
    expect(await applied('Region', apply)).toBe(expected);
  });

  it('is over when the data is circular', async () => {
    expect(await applied('Region', `ancestors(${TREE},filter(Name eq 'Hen'))`)).toBe('Hen Egg');
    expect(await applied('Region', `descendants(${TREE},filter(Name eq 'Hen'))`)).toBe('Hen Egg');
  });

  it('takes instances that belong to nodes', async () => {
    const tree = '$root/Region,Parent,RegionId';
    expect(await applied('Shop', `traverse(${tree},preorder)`)).toBe('2 3 1 4');
    expect(await applied('Shop', `ancestors(${tree},filter(Id eq 1),keep start)`)).toBe('1 3 4');
  });

  it('can be counted', async () => {
    const apply = encodeURIComponent(`descendants(${TREE},filter(Name eq 'Europe'))/aggregate($count as N)`);
    expect(await served.ask(`Region?$apply=${apply}`)).toMatchObject([200, { value: [{ N: 3 }] }]);
  });

  it.each([
    [`ancestors($root/Region,Other,Id,identity)`, 400, "expected the hierarchy 'Parent', found 'Other'"],
    [
      `ancestors($root/Shop,Parent,Id,identity)`,
      400,
      "expected entities that have a parent of their own type, found 'Parent'",
    ],
    [`ancestors(Name,Parent,Id,identity)`, 400, 'a hierarchy expects a collection, found Edm.String'],
    [
      `traverse(${TREE},preorder,aggregate($count as N))`,
      400,
      'expected transformations that leave nodes of the hierarchy as they are',
    ],
  ])('%s is a %d', async (apply, status, message) => {
    const [found, { error }] = (await applied('Region', apply)) as [number, { error: object }];
    expect([found, error]).toEqual([
      status,
      expect.objectContaining({ message: expect.stringContaining(message), target: '$apply' }),
    ]);
  });
});

describe('rolluprecursive (Data Aggregation 4.0, 6.3)', () => {
  async function results(path: string): Promise<unknown> {
    const [set, apply = '', rest = ''] = path.split('|');
    const [, answer] = await served.ask(`${set}?$apply=${encodeURIComponent(apply)}${rest}`);
    return (answer as { value?: unknown }).value ?? answer;
  }

  it('tells all of a node where the instances are nodes', async () => {
    expect(
      await results(
        `Region|groupby((rolluprecursive(${TREE})),aggregate($count as N)/compute(N sub 1 as Below))|&$select=Name,Below&$expand=Parent($select=Name)&$top=6`,
      ),
    ).toMatchObject([
      { Name: 'America', Below: 1, Parent: null },
      { Name: 'Peru', Below: 0, Parent: { Name: 'America' } },
      { Name: 'Europe', Below: 3, Parent: null },
      { Name: 'France', Below: 0, Parent: { Name: 'Europe' } },
      { Name: 'Germany', Below: 1, Parent: { Name: 'Europe' } },
      { Name: 'Bavaria', Below: 0, Parent: { Name: 'Germany' } },
    ]);
  });

  it('tells the related entity where a path leads over a navigation property', async () => {
    const found = await results(
      `Shop|groupby((rolluprecursive(${TREE.replace('Id', 'Region/Id')},filter(Id in (2,5,6)))),aggregate($count as N))|`,
    );
    const node = (id: number, parent: number, name: string) => ({ Id: id, ParentId: parent, Name: name });
    expect(found).toMatchObject([
      { Region: { Id: 2, ParentId: null, Name: 'Europe' }, N: 3 },
      { Region: node(5, 2, 'Germany'), N: 2 },
      { Region: node(6, 5, 'Bavaria'), N: 2 },
    ]);
  });

  it('tells the identifier where nothing else leads to a node', async () => {
    const tree = '$root/Region,Parent,RegionId,filter(Id in (1,2,3))';
    expect(
      await results(`Shop|groupby((rolluprecursive(${tree})),aggregate(Id with sum as Sum))|`),
    ).toMatchObject([
      { RegionId: 1, Sum: 2 },
      { RegionId: 3, Sum: 2 },
      { RegionId: 2, Sum: 3 },
    ]);
  });

  it('groups within nodes, and within those of a further hierarchy', async () => {
    const tree = '$root/Region,Parent,RegionId,filter(Id in (2,5,6))';
    expect(await results(`Shop|groupby((Id,rolluprecursive(${tree})))|`)).toMatchObject([
      { Id: 1, RegionId: 2 },
      { Id: 3, RegionId: 2 },
      { Id: 4, RegionId: 2 },
      { Id: 1, RegionId: 5 },
      { Id: 4, RegionId: 5 },
      { Id: 1, RegionId: 6 },
      { Id: 4, RegionId: 6 },
    ]);
    const twice = `rolluprecursive(${tree}),rolluprecursive($root/Region,Parent,Region/Id,filter(Id eq 6))`;
    expect(await results(`Shop|groupby((${twice}),aggregate($count as N))|`)).toMatchObject([
      { RegionId: 2, Region: { Name: 'Bavaria' }, N: 2 },
      { RegionId: 5, Region: { Name: 'Bavaria' }, N: 2 },
      { RegionId: 6, Region: { Name: 'Bavaria' }, N: 2 },
    ]);
  });

  it('has one instance for each node that has any', async () => {
    const tree = '$root/Region,Parent,RegionId';
    expect(await results(`Shop|groupby((rolluprecursive(${tree})))/aggregate($count as N)|`)).toMatchObject([
      { N: 5 },
    ]);
  });
});

describe('Aggregation.rollupnode (Data Aggregation 4.0, 6.3)', () => {
  async function named(path: string): Promise<unknown> {
    const [set, apply = ''] = path.split('|');
    const [status, answer] = await served.ask(`${set}?$apply=${encodeURIComponent(apply)}`);
    if (status !== 200) return (answer as { error: unknown }).error;
    const { value } = answer as { value: readonly Record<string, unknown>[] };
    return value.map(({ Region, ...row }) =>
      [row['Id'], row['RegionId'], (Region as { Name?: string })?.Name, row['Name'], row['N'], row['Node']]
        .filter((cell) => cell !== undefined)
        .join(' '),
    );
  }
  const shops = '$root/Region,Parent,Region/Id';
  const few = 'filter(Id in (1,2,5,6))';

  it.each([
    // Those of the node itself, without those of nodes below it.
    [
      `Shop|groupby((rolluprecursive(${shops},${few})),filter(Region eq Aggregation.rollupnode())/aggregate($count as N))`,
      ['America 0', 'Europe 1', 'Germany 0', 'Bavaria 2'],
    ],
    [
      `Shop|groupby((rolluprecursive(${shops},${few})),filter(Aggregation.rollupnode() ne Region)/aggregate($count as N))`,
      ['America 0', 'Europe 2', 'Germany 2', 'Bavaria 0'],
    ],
    [
      `Shop|groupby((rolluprecursive(${shops},${few})),filter(RegionId eq Org.OData.Aggregation.V1.rollupnode(Position=1)/Id)/aggregate($count as N))`,
      ['America 0', 'Europe 1', 'Germany 0', 'Bavaria 2'],
    ],
    // In what stands behind an aggregate, and along what the node is related to.
    [
      `Shop|groupby((rolluprecursive(${shops},${few})),aggregate($count as N)/compute(Aggregation.rollupnode()/Parent/Name as Node))`,
      ['America 0 ', 'Europe 3 ', 'Germany 2 Europe', 'Bavaria 2 Germany'],
    ],
    [
      `Region|groupby((rolluprecursive($root/Region,Parent,Id,${few})),filter($it ne Aggregation.rollupnode() and Aggregation.isdescendant(HierarchyNodes=$root/Region,HierarchyQualifier='Parent',Node=Id,Ancestor=Aggregation.rollupnode()/Id,MaxDistance=1))/aggregate($count as N))`,
      ['1 America 0', '2 Europe 1', '5 Germany 1', '6 Bavaria 0'],
    ],
    // A grouping within belongs to the node, too; the node of another one within is another.
    [
      `Shop|groupby((Id,rolluprecursive(${shops},filter(Id in (2,6)))),filter(Region eq Aggregation.rollupnode())/aggregate($count as N))`,
      ['1 Bavaria 1', '4 Bavaria 1', '3 Europe 1'],
    ],
    [
      `Shop|groupby((rolluprecursive($root/Region,Parent,RegionId,filter(Id in (2,6))),rolluprecursive(${shops},filter(Id in (2,6)))),aggregate($count as N)/compute(concat(Aggregation.rollupnode()/Name,Aggregation.rollupnode(Position=2)/Name) as Node))`,
      [
        '6 Bavaria 2 BavariaBavaria',
        '6 Europe 0 BavariaEurope',
        '2 Bavaria 0 EuropeBavaria',
        '2 Europe 1 EuropeEurope',
      ],
    ],
    [
      `Shop|groupby((rolluprecursive($root/Region,Parent,RegionId,filter(Id in (2,6)))),groupby((rolluprecursive(${shops},filter(Id in (5,6)))),aggregate($count as N)/compute(Aggregation.rollupnode()/Name as Node)))`,
      ['6 Germany 2 Germany', '6 Bavaria 2 Bavaria', '2 Germany 0 Germany', '2 Bavaria 0 Bavaria'],
    ],
  ])('%s', async (path, expected) => {
    expect(await named(path)).toStrictEqual(expected);
  });

  it('is the node of its own request, whoever asks at the same time', async () => {
    const counts = [2, 5, 6].map((id) =>
      named(
        `Shop|groupby((rolluprecursive(${shops},filter(Id eq ${id}))),filter(Region eq Aggregation.rollupnode())/aggregate($count as N))`,
      ),
    );
    expect(await Promise.all([...counts, ...counts])).toStrictEqual([
      ['Europe 1'],
      ['Germany 0'],
      ['Bavaria 2'],
      ['Europe 1'],
      ['Germany 0'],
      ['Bavaria 2'],
    ]);
  });

  const PLACE = "has a value in what 'groupby' does with the nodes of 'rolluprecursive' alone";
  it.each([
    ['Shop|filter(Region eq Aggregation.rollupnode())', PLACE],
    [`Shop|groupby((rolluprecursive(${shops},filter(Id eq Aggregation.rollupnode()/Id))))`, PLACE],
    [
      `Shop|groupby((rolluprecursive(${shops})),aggregate($count as N))/filter(N eq Aggregation.rollupnode()/Id)`,
      PLACE,
    ],
    [
      `Shop|groupby((rolluprecursive(${shops})),filter(Region eq Aggregation.rollupnode(Position=2)))`,
      'expects no parameter or Position, which is 1 here',
    ],
    [
      `Shop|groupby((rolluprecursive(${shops})),filter(Region eq Aggregation.rollupnode(Position=Id)))`,
      'expects no parameter or Position',
    ],
    [
      `Shop|groupby((rolluprecursive(${shops})),filter(Region eq Aggregation.rollupnode(Place=1)))`,
      'expects no parameter or Position',
    ],
    [
      `Shop|groupby((rolluprecursive(${shops})),filter(Aggregation.rollupnode()/Nme eq 'x'))`,
      "expected a property of Test.Region, found 'Nme'",
    ],
  ])('%s is refused', async (path, message) => {
    expect(await named(path)).toEqual(
      expect.objectContaining({
        code: 'BadRequest',
        message: expect.stringContaining(message),
        target: '$apply',
      }),
    );
  });
});

const NODE = "HierarchyNodes=$root/Region,HierarchyQualifier='Parent',Node=Id";

describe('functions of hierarchies (Data Aggregation 4.0, 5.5.1.1)', () => {
  it.each([
    [`Aggregation.isroot(${NODE})`, 'America Europe Atlantis'],
    [`Aggregation.isleaf(${NODE})`, 'Bavaria Peru France Atlantis'],
    [`Org.OData.Aggregation.V1.isnode(${NODE})`, REGIONS.map(({ name }) => name).join(' ')],
    [`Aggregation.isdescendant(${NODE},Ancestor=2)`, 'Bavaria France Germany'],
    [`Aggregation.isdescendant(${NODE},Ancestor=2,MaxDistance=1)`, 'France Germany'],
    [`Aggregation.isdescendant(${NODE},Ancestor=2,IncludeSelf=true)`, 'Bavaria Europe France Germany'],
    [`Aggregation.isancestor(${NODE},Descendant=6)`, 'Europe Germany'],
    [`Aggregation.isancestor(${NODE},Descendant=9)`, 'Hen Egg'],
    [`Aggregation.issibling(${NODE},Other=4)`, 'Germany'],
    [`not Aggregation.isroot(${NODE}) and startswith(Name,'P')`, 'Peru'],
  ])('%s', async (condition, expected) => {
    const [, answer] = await served.ask(`Region?$filter=${encodeURIComponent(condition)}`);
    const { value } = answer as { value: readonly { Name: string }[] };
    expect(value.map(({ Name }) => Name).join(' ')).toBe(expected);
  });

  it.each([
    [
      'Aggregation.isroot(Node=Id)',
      'expects the parameters (HierarchyNodes, HierarchyQualifier, Node), found Node',
    ],
    [`Aggregation.isleaf(${NODE},MaxDistance=1)`, 'HierarchyQualifier, Node, MaxDistance'],
    [`Aggregation.isdescendant(${NODE},Ancestor=2,MaxDistance=Id)`, 'expects a number for MaxDistance'],
  ])('%s is refused', async (condition, message) => {
    expect(await served.ask(`Region?$filter=${encodeURIComponent(condition)}`)).toEqual([
      400,
      { error: expect.objectContaining({ message: expect.stringContaining(message), target: '$filter' }) },
    ]);
  });
});

describe('a hierarchy that is as deep as it is large', () => {
  it('is walked within the budget of the request', async () => {
    const chain = Array.from({ length: 200 }, (_, id) =>
      region(id, id === 0 ? null : id - 1, `Region ${id}`),
    );
    const upstream = await startStandInUpstream((_, reply) => reply.json(chain));
    onTestFinished(() => upstream.close());
    const project = createProject({
      'api.yaml': DOCUMENT,
      '.meshrc.yaml': `sources:\n${sourceOf('Test', './api.yaml', upstream.url)}`,
    });
    const deep = await serveProject(project, { QUERY_ITEMS: '10000', QUERY_ROWS: '20000' });
    const condition = `Aggregation.isdescendant(${NODE},Ancestor=-1)`;
    const refusal = (limit: string) => ({
      error: expect.objectContaining({ message: expect.stringContaining(`(${limit})`) }),
    });
    expect(await deep.json(`/odata/Region?$filter=${encodeURIComponent(condition)}`)).toEqual(
      refusal('QUERY_ITEMS'),
    );
    const rollup = `groupby((rolluprecursive(${TREE})),aggregate($count as N))`;
    expect(await deep.json(`/odata/Region?$apply=${encodeURIComponent(rollup)}`)).toEqual(
      refusal('QUERY_ROWS'),
    );
  });
});

describe('Aggregation.RecursiveHierarchy (Data Aggregation 4.0, 5.5.1)', () => {
  it('tells of the hierarchy', async () => {
    const found = await served.csdl('<Annotation Term="Aggregation.RecursiveHierarchy"');
    expect(found).toEqual(['<Annotation Term="Aggregation.RecursiveHierarchy" Qualifier="Parent">']);
    expect(await served.csdl('<PropertyValue Property="ParentNavigationProperty"')).toEqual([
      '<PropertyValue Property="ParentNavigationProperty" NavigationPropertyPath="Parent"/>',
    ]);
  });
});
