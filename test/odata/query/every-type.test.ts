import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../../support/running-gateway.ts';
import { sourceOf } from '../../support/temporary-project.ts';

const project = mkdtempSync(join(tmpdir(), 'zoo-'));
const file = resolve(import.meta.dirname, '../payload/zoo.yaml');
writeFileSync(join(project, '.meshrc.yaml'), `sources:\n${sourceOf('Zoo', file, '{env.UPSTREAM_URL}')}`);
afterAll(() => rmSync(project, { recursive: true }));

const gateway = useGateway({ MESH_CONFIG: join(project, '.meshrc.yaml') });

const ANIMALS = [
  {
    id: 1,
    kind: 'dog',
    name: 'Ada',
    breed: 'Pug',
    mood: 'very angry',
    skills: 5,
    tags: ['a', 'b'],
    home: { kind: 'cage', city: 'Bonn', rent: 5.5, bars: 12 },
    homes: [
      { kind: 'cage', city: 'Bonn', bars: 3 },
      { kind: 'flat', city: 'Oslo', rent: 7 },
    ],
    place: { type: 'Point', coordinates: [7.1, 50.7] },
    notes: { first: 'x', colour: 'red', legs: 4, deep: { er: [1] } },
  },
  { id: 2, kind: 'bird', name: 'Bo', wings: 2, mood: 'calm', skills: 2, tags: ['b'], notes: { legs: '4' } },
  { id: 3, kind: 'cat', name: 'Cy' },
];

beforeEach(() => gateway.upstream.behave((_request, reply) => reply.send(200, JSON.stringify(ANIMALS))));

async function answerOf(query: string): Promise<unknown> {
  const { text } = await gateway.fetch(`/odata/Animal?${query}`);
  const answer = JSON.parse(text);
  return answer.value ?? answer;
}

async function idsOf(query: string): Promise<readonly number[]> {
  const rows = (await answerOf(`${query}&$select=Id`)) as readonly { readonly Id: number }[];
  return rows.map(({ Id }) => Id);
}

describe('filters and orders by what the upstream has of every type', () => {
  it.each<[string, readonly number[]]>([
    [`$filter=Mood eq 'calm'`, [2]],
    [`$filter=Mood eq Zoo.Mood'very_angry'`, [1]],
    [`$filter=Skills has Zoo.Skills'Swim,Run'`, [1]],
    [`$filter=Skills eq 'Fly'`, [2]],
    [`$filter=Home/City eq 'Bonn'`, [1]],
    ['$filter=Home/Zoo.Cage/Bars gt 10', [1]],
    ['$filter=Homes/any(h:h/Zoo.Cage/Bars eq 3 and h/City eq $it/Home/City)', [1]],
    ['$filter=Homes/$count($filter=Rent ne null) eq 1', [1]],
    [`$filter=Zoo.Dog/Breed eq 'Pug'`, [1]],
    ['$filter=isof(Zoo.Bird)', [2]],
    [`$filter='b' in Tags`, [1, 2]],
    [`$filter=geo.distance(Place,geography'SRID=4326;Point(7.1 50.8)') lt 12e3`, [1]],
    [`$filter=Notes/colour eq 'red'`, [1]],
    ['$filter=Notes/legs eq 4', [1]],
    [`$filter=Notes/legs eq '4'`, [2]],
    ['$filter=Notes/deep/er/any(e:e eq 1)', [1]],
    ['$orderby=Skills desc', [1, 2, 3]],
    ['$orderby=Mood,Id desc', [3, 2, 1]],
    ['$orderby=Tags/$count desc,Zoo.Bird/Wings', [1, 2, 3]],
    ['$compute=Home/Rent mul 2 as Twice&$filter=Twice eq 11', [1]],
  ])('%s', async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });
});

describe('$select of parts', () => {
  it.each<[string, object]>([
    ['Home/City', { Home: { City: 'Bonn' } }],
    [`Tags($filter=$this ne 'a')`, { Tags: ['b'] }],
    ['Tags($top=1;$count=true)', { 'Tags@odata.count': 2, Tags: ['a'] }],
    ['Homes($filter=Rent ne null;$select=City)', { Homes: [{ City: 'Oslo' }] }],
    ['Zoo.Dog/Breed', { Breed: 'Pug' }],
    ['Photo', {}],
  ])('%s', async (select, shown) => {
    const [first] = (await answerOf(`$select=Id,${select}&$top=1`)) as readonly object[];
    expect(first).toMatchObject({ Id: 1, ...shown });
    expect(Object.keys(first ?? {}).filter((name) => !name.startsWith('@'))).toEqual([
      'Id',
      ...Object.keys(shown),
    ]);
  });
});
