import { type Row, TYPE } from '../../../src/contract/row.ts';
import type { QueryOptions } from '../../../src/engine/tree/query-tree.ts';
import type {
  DescribedComplexType,
  DescribedEntityType,
  DescribedNavigationProperty,
  DescribedStructuralProperty,
  DescribedValueType,
} from '../../../src/model/description.ts';
import { type EntityType, type EnumerationType, embeddedNavigation } from '../../../src/model/edm.ts';
import { linkModel, type Model } from '../../../src/model/model.ts';
import { DEFAULT_URL_LIMITS } from '../../../src/odata/url/lexer.ts';
import { parseRequestTarget } from '../../../src/odata/url/request-target.ts';
import { describedModel, describedType, primitiveProperty } from '../../support/model.ts';
import { compileCount, compileEntityQuery, compileQuery } from './at-once.ts';

/** A model with properties of every kind: `Animal` and `Dog` are open to nothing, `Keeper` is open. */

const NAMESPACE = 'Zoo';

function property(name: string, type: DescribedValueType, collection = false): DescribedStructuralProperty {
  return { ...primitiveProperty(name, 'Edm.String'), type, collection };
}

const primitive = primitiveProperty;
const items = (found: DescribedStructuralProperty): DescribedStructuralProperty => ({
  ...found,
  collection: true,
});
const complex = (name: string, type: string) => property(name, { kind: 'complex', name: type });
const enumeration = (name: string, type: string) => property(name, { kind: 'enumeration', name: type });

function enumerationType(name: string, flags: boolean, members: Readonly<Record<string, number>>) {
  const type: EnumerationType = {
    kind: 'enumeration',
    namespace: NAMESPACE,
    name,
    description: undefined,
    flags,
    members: Object.entries(members).map(([member, value]) => ({
      name: member,
      value,
      upstreamValue: member,
    })),
  };
  return type;
}

function complexType(
  name: string,
  properties: readonly DescribedStructuralProperty[],
  changes: Partial<DescribedComplexType> = {},
): DescribedComplexType {
  const { key: _key, ...type } = describedType(NAMESPACE, name, properties);
  return { ...type, ...changes };
}

const ADDRESS = [primitive('City', 'Edm.String'), primitive('Zip', 'Edm.Int32'), complex('Geo', 'Place')];
const ANIMAL = [
  primitive('Id', 'Edm.String'),
  primitive('Name', 'Edm.String'),
  enumeration('Colour', 'Colour'),
  enumeration('Likes', 'Food'),
  complex('Home', 'Address'),
  items(complex('Visits', 'Visit')),
  items(primitive('Tags', 'Edm.String')),
  items(primitive('Scores', 'Edm.Decimal')),
  items(primitive('Codes', 'Edm.Guid')),
  items(enumeration('Colours', 'Colour')),
  primitive('Data', 'Edm.Binary'),
  property('Spot', { kind: 'primitive', name: 'Edm.GeographyPoint' }),
  property('Trail', { kind: 'primitive', name: 'Edm.GeographyLineString' }),
  property('Range', { kind: 'primitive', name: 'Edm.GeographyPolygon' }),
  property('Any', { kind: 'primitive', name: 'Edm.Untyped' }),
];

const NAVIGATION = new Map<string, DescribedNavigationProperty>([
  ['Toys', embeddedNavigation('Toys', 'Toy', true)],
  ['Best', embeddedNavigation('Best', 'Toy', false)],
  [
    'Friends',
    {
      ...embeddedNavigation('Friends', 'Animal', true),
      origin: { kind: 'path', places: [] },
    },
  ],
]);

const ANIMAL_TYPE: DescribedEntityType = {
  ...describedType(NAMESPACE, 'Animal', ANIMAL),
  navigationProperties: NAVIGATION,
};

const DOG_TYPE: DescribedEntityType = {
  ...describedType(NAMESPACE, 'Dog', [...ANIMAL, primitive('Barks', 'Edm.Int32')]),
  navigationProperties: NAVIGATION,
  baseType: 'Animal',
};

const PUPPY_TYPE: DescribedEntityType = {
  ...describedType(NAMESPACE, 'Puppy', [
    ...ANIMAL,
    primitive('Barks', 'Edm.Int32'),
    primitive('Weeks', 'Edm.Int32'),
  ]),
  navigationProperties: NAVIGATION,
  baseType: 'Dog',
};

const TOY_TYPE = describedType(NAMESPACE, 'Toy', [
  primitive('Id', 'Edm.String'),
  primitive('Price', 'Edm.Decimal'),
  items(primitive('Parts', 'Edm.String')),
]);

const KEEPER: DescribedEntityType = {
  ...describedType(NAMESPACE, 'Keeper', [primitive('Id', 'Edm.String'), primitive('Name', 'Edm.String')]),
  open: true,
};

const byName = <Type extends { readonly name: string }>(types: readonly Type[]) =>
  new Map(types.map((type) => [type.name, type]));

export const ZOO: Model = linkModel({
  ...describedModel(NAMESPACE),
  entityTypes: byName([ANIMAL_TYPE, DOG_TYPE, PUPPY_TYPE, TOY_TYPE, KEEPER]),
  complexTypes: byName([
    complexType('Address', ADDRESS),
    complexType('Foreign', [...ADDRESS, primitive('Country', 'Edm.String')], { baseType: 'Address' }),
    complexType('Place', [primitive('Height', 'Edm.Double'), enumeration('Kind', 'Colour')]),
    complexType('Visit', [
      primitive('Day', 'Edm.Date'),
      primitive('Cost', 'Edm.Decimal'),
      primitive('Note', 'Edm.String'),
      items(primitive('Guests', 'Edm.String')),
    ]),
  ]),
  enumerationTypes: byName([
    enumerationType('Colour', false, { Red: 1, Green: 2, Blue: 3 }),
    enumerationType('Food', true, { Meat: 1, Fish: 2, Fruit: 4, Swim: 3 }),
    enumerationType('Twins', false, { One: 1, Uno: 1 }),
  ]),
  callables: [
    {
      kind: 'function',
      namespace: NAMESPACE,
      name: 'Nearest',
      description: undefined,
      longDescription: undefined,
      deprecated: false,
      binding: { entityType: 'Animal', collection: false },
      parameters: [],
      returns: undefined,
      wrappedIn: undefined,
      calls: [],
    },
  ],
});

function typeNamed(name: string): EntityType {
  const type = ZOO.entityTypes.get(name);
  if (type === undefined) throw new Error(`The zoo has no ${name}`);
  return type;
}

export const KEEPER_TYPE = typeNamed('Keeper');

const NOTHING: Row = {
  Id: 'd',
  Name: null,
  Colour: null,
  Likes: null,
  Home: null,
  Visits: [],
  Tags: [],
  Scores: [],
  Codes: [],
  Colours: [],
  Data: null,
  Spot: null,
  Trail: null,
  Range: null,
  Any: null,
  Toys: [],
  Best: null,
};

export const ANIMALS: readonly Row[] = [
  {
    ...NOTHING,
    Id: 'a',
    Name: 'Ada',
    Colour: 'Red',
    Likes: 'Meat,Fruit',
    Home: { City: 'Bonn', Zip: 53111, Geo: { Height: 60.5, Kind: 'Blue' } },
    Visits: [
      { Day: '2024-01-02', Cost: 5, Note: 'short', Guests: ['Eve', 'Ada'] },
      { Day: '2024-01-01', Cost: '12.0000000000000000001', Note: null, Guests: [] },
    ],
    Tags: ['x', 'y', 'x'],
    Scores: [1.5, '2.50', 3],
    Codes: ['0123ABCD-0123-4567-89ab-0123456789ab'],
    Colours: ['Green', 'Red'],
    Data: 'AAEC',
    Spot: { type: 'Point', coordinates: [7.1, 50.7] },
    Trail: {
      type: 'LineString',
      coordinates: [
        [0, 0],
        [1, 0],
        [2, 0],
      ],
    },
    Range: {
      type: 'Polygon',
      coordinates: [
        [
          [7, 50],
          [8, 50],
          [8, 51],
          [7, 51],
          [7, 50],
        ],
        [
          [7.4, 50.4],
          [7.6, 50.4],
          [7.6, 50.6],
          [7.4, 50.6],
          [7.4, 50.4],
        ],
      ],
    },
    Any: 5,
    Toys: [
      { Id: 't1', Price: 2.5, Parts: ['x', 'q'] },
      { Id: 't2', Price: 20, Parts: [] },
    ],
    Best: { Id: 't2', Price: 20, Parts: [] },
  },
  {
    ...NOTHING,
    [TYPE]: 'Dog',
    Id: 'b',
    Name: 'Bo',
    Colour: 'Blue',
    Likes: 'Swim',
    Home: { [TYPE]: 'Foreign', City: 'Oslo', Zip: null, Geo: null, Country: 'NO' },
    Tags: ['y'],
    Data: '_w',
    Spot: { type: 'Point', coordinates: [10.75, 59.91] },
    Trail: { type: 'LineString', coordinates: 'broken' },
    Range: {
      type: 'Polygon',
      coordinates: [
        [
          [179, 1],
          [179, -1],
          [-179, -1],
          [-179, 1],
          [179, 1],
        ],
      ],
    },
    Any: 'text',
    Barks: 7,
  },
  {
    ...NOTHING,
    [TYPE]: 'Puppy',
    Id: 'c',
    Name: 'Cy',
    Spot: { type: 'Circle' },
    Range: { type: 'Polygon', coordinates: [] },
    Colour: 'Green',
    Likes: 'Fish',
    Tags: ['z', 'Cy'],
    Any: { Deep: { er: [1, 2] }, constructor: 'mine' },
    Barks: null,
    Weeks: 3,
  },
  NOTHING,
];

export const KEEPERS: readonly Row[] = [
  { Id: '1', Name: 'Kim', Extra: 5, Since: '2020-01-01' },
  { Id: '2', Name: 'Lea', Extra: '5', List: [1, 'a', null] },
  { Id: '3', Name: 'Max', Extra: null, Flag: true },
  { Id: '4', Name: 'Noa', Extra: { Inner: 'x' }, Flag: 'yes' },
  { Id: '5', Name: null, Extra: 7.5, Since: '2020-01-01T00:00:00Z' },
];

export type Query = Readonly<Record<string, string>>;

/** Lambda operators may stand in each other here. */
export function optionsOf(query: Query): QueryOptions {
  const text = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return parseRequestTarget(`/Animal?${text.join('&')}`, { ...DEFAULT_URL_LIMITS, lambdaDepth: 3 }).options;
}

export function compiled(query: Query, type: EntityType = typeNamed('Animal')) {
  return compileQuery(ZOO, type, optionsOf(query));
}

export function compiledEntity(query: Query, type: EntityType = typeNamed('Animal')) {
  return compileEntityQuery(ZOO, type, optionsOf(query));
}

export function compiledCount(query: Query, type: EntityType = typeNamed('Animal')) {
  return compileCount(ZOO, type, optionsOf(query));
}

export function animals(query: Query): string {
  return idsOf(compiled(query).run(ANIMALS).rows);
}

export function keepers(query: Query): string {
  return idsOf(compiled(query, KEEPER_TYPE).run(KEEPERS).rows);
}

function idsOf(rows: readonly Row[]): string {
  return rows.map(({ Id }) => Id).join('');
}
