import { describe, expect, it } from 'vitest';
import { type Row, TYPE, type Value } from '../../../src/contract/row.ts';
import type { PrimitiveTypeName } from '../../../src/model/edm.ts';
import type { Expansion } from '../../../src/odata/payload/json/entity-content.ts';
import { writeReference } from '../../../src/odata/payload/json/entity-reference.ts';
import type { EntityShape } from '../../../src/odata/payload/json/json.ts';

import { writeCollection, writeEntity, writeReferences } from './at-once.ts';
import { animals, FULL, MINIMAL, NONE } from './shapes.ts';
import { entityTypeNamed } from './zoo.ts';

const CONTEXT = '"@odata.context":"~/$metadata#Animal"';
const TOM: Row = { Id: 1, Name: 'Tom' };
const REX: Row = { Id: 2, Name: 'Rex', Breed: 'pug', [TYPE]: 'Dog' };

/** The members of an entity, without those of its context. */
function members(shown: readonly string[], row: Row, more: Partial<EntityShape> = {}): string {
  const text = writeEntity(animals(shown, more), row);
  const context = more.version === '4.01' ? CONTEXT.replace('odata.', '') : CONTEXT;
  expect(text.startsWith(`{${context}`)).toBe(true);
  return `{${text.slice(context.length + 1).replace(/^,/, '')}`;
}

/** One property as it is written. */
function written(name: string, value: Value, more: Partial<EntityShape> = {}): string {
  return members([name], { [name]: value }, { canonical: () => 'x', exact: false, ...more }).replace(
    /"@(odata\.)?id":"x",?/,
    '',
  );
}

describe('a collection of entities (JSON Format, 12)', () => {
  it('has context and count before the entities and links behind them', () => {
    const control = { count: 2, nextLink: '~/Animal?$skiptoken="x"', deltaLink: '~/Animal?$deltatoken=y' };
    expect(writeCollection(animals(['Id', 'Name']), [TOM], control)).toBe(
      `{${CONTEXT},"@odata.count":2,"value":[{"Id":1,"Name":"Tom"}],"@odata.nextLink":"~/Animal?$skiptoken=\\"x\\"","@odata.deltaLink":"~/Animal?$deltatoken=y"}`,
    );
  });

  it('has neither prefix nor context where the client wants none (3.1.3, 4.5)', () => {
    expect(writeCollection(animals(['Id'], { version: '4.01' }), [], { count: 0, nextLink: 'x' })).toBe(
      '{"@context":"~/$metadata#Animal","@count":0,"value":[],"@nextLink":"x"}',
    );
    const shape = animals(['Id', 'Name', 'Breed'], { format: NONE });
    expect(writeCollection(shape, [TOM, REX], { count: 2, nextLink: 'x' })).toBe(
      '{"@odata.count":2,"value":[{"Id":1,"Name":"Tom"},{"Id":2,"Name":"Rex","Breed":"pug"}],"@odata.nextLink":"x"}',
    );
  });

  it('counts in text for clients whose numbers are doubles (3.2)', () => {
    const format = { ...MINIMAL, ieee754Compatible: true };
    expect(writeCollection(animals(['Id'], { format }), [], { count: 7 })).toBe(
      `{${CONTEXT},"@odata.count":"7","value":[]}`,
    );
  });

  it('says the type of those that are of a derived one (4.5.3)', () => {
    expect(writeCollection(animals(['Id', 'Name', 'Breed']), [TOM, REX])).toBe(
      `{${CONTEXT},"value":[{"Id":1,"Name":"Tom"},{"@odata.type":"#Zoo.Dog","Id":2,"Name":"Rex","Breed":"pug"}]}`,
    );
  });

  it('writes the same rows in every format', () => {
    const shape = animals(['Id', 'Chip']);
    const rows: readonly Row[] = [{ Id: 1, Chip: 2n ** 60n }];
    const once = writeCollection(shape, rows);
    expect(writeCollection(animals(['Id', 'Chip'], { format: FULL }), rows)).not.toBe(once);
    expect(writeCollection(shape, rows)).toBe(once);
  });
});

describe('values (JSON Format, 7)', () => {
  const compatible = { format: { ...MINIMAL, ieee754Compatible: true } };
  it.each<[string, Value, string, Partial<EntityShape>]>([
    ['Weight', 12.5, '12.5', {}],
    ['Weight', '12345678901234567890.10', '12345678901234567890.10', {}],
    ['Weight', '+007.5', '7.5', {}],
    ['Weight', 1e-7, '0.0000001', {}],
    ['Weight', 1e21, '1000000000000000000000', {}],
    ['Weight', '-1.25e3', '-1250', {}],
    ['Weight', 1e-7, '1e-7', { format: { ...MINIMAL, exponentialDecimals: true } }],
    ['Weight', 12.5, '"12.5"', compatible],
    ['Weight', 1e21, '"1000000000000000000000"', compatible],
    ['Chip', 7, '7', {}],
    ['Chip', 2n ** 60n, '1152921504606846976', {}],
    ['Chip', 7, '"7"', compatible],
    ['Height', 1.5, '1.5', compatible],
    ['Height', Number.NaN, '"NaN"', {}],
    ['Height', Number.NEGATIVE_INFINITY, '"-INF"', {}],
    ['Skills', 'Swim,Run', '"Swim,Run"', {}],
    ['Nap', 'PT1H', '"PT1H"', {}],
    ['Place', { type: 'Point', coordinates: [1.5, 2] }, '{"type":"Point","coordinates":[1.5,2]}', {}],
    ['Home', { City: 'B', Rent: '1.10' }, '{"City":"B","Rent":1.10}', {}],
    ['Home', { City: 'B', Rent: 1.5 }, '{"City":"B","Rent":"1.5"}', compatible],
    ['Homes', [], '[]', {}],
    [
      'Homes',
      [{ City: 'C', Bars: 2n ** 60n, [TYPE]: 'Cage' }, { City: 'B' }],
      '[{"@odata.type":"#Zoo.Cage","Bars":1152921504606846976,"City":"C"},{"City":"B"}]',
      {},
    ],
    ['Notes', { First: null, a: [1n, { b: 1.5 }] }, '{"First":null,"a":[1,{"b":1.5}]}', {}],
    ['Notes', { a: 2n ** 63n - 1n }, '{"a@odata.type":"#Int64","a":9223372036854775807}', {}],
    ['Notes', { a: 2n ** 63n }, '{"a@odata.type":"#Decimal","a":9223372036854775808}', {}],
    ['Notes', { a: 2n ** 60n }, '{"a@odata.type":"#Int64","a":1152921504606846976}', {}],
    ['Notes', { a: 2n ** 70n }, '{"a@type":"Decimal","a":1180591620717411303424}', { version: '4.01' }],
    ['Notes', { a: 2n ** 70n }, '{"a@odata.type":"#Decimal","a":"1180591620717411303424"}', compatible],
  ])('%s: %s', (name, value, json, more) => {
    expect(written(name, value, more)).toBe(`{"${name}":${json}}`);
  });
});

describe('full metadata (JSON Format, 3.1.2)', () => {
  it.each<[string, Value, string]>([
    ['Name', 'Tom', '"Name":"Tom"'],
    ['Tame', true, '"Tame":true'],
    ['Height', 1.5, '"Height":1.5'],
    ['Height', Number.POSITIVE_INFINITY, '"Height@odata.type":"#Double","Height":"INF"'],
    ['Chip', 7, '"Chip@odata.type":"#Int64","Chip":7'],
    ['Chip', null, '"Chip":null'],
    ['Born', '2024-02-29', '"Born@odata.type":"#Date","Born":"2024-02-29"'],
    ['Mood', 'calm', '"Mood@odata.type":"#Zoo.Mood","Mood":"calm"'],
    ['Tags', ['a'], '"Tags@odata.type":"#Collection(String)","Tags":["a"]'],
    ['Home', { City: 'B' }, '"Home":{"@odata.type":"#Zoo.Address","City":"B"}'],
    [
      'Homes',
      [{ Rent: 1, [TYPE]: 'Cage' }],
      '"Homes@odata.type":"#Collection(Zoo.Address)","Homes":[{"@odata.type":"#Zoo.Cage","Rent@odata.type":"#Decimal","Rent":1}]',
    ],
  ])('says the types that JSON does not tell: %s %s', (name, value, json) => {
    const shape = animals([name], { format: FULL, canonical: undefined, exact: false });
    expect(writeEntity(shape, { [name]: value })).toBe(
      `{${CONTEXT},"@odata.type":"#Zoo.Animal","@odata.id":null,${json}}`,
    );
  });

  it('writes built-in types without a hash sign in 4.01 (4.5.3)', () => {
    const shape = { format: FULL, version: '4.01', canonical: undefined } as const;
    const row = { Chip: 7, Tags: ['a'], Mood: 'calm' };
    expect(members(['Chip', 'Tags', 'Mood'], row, shape)).toBe(
      '{"@type":"#Zoo.Animal","@id":null,"Chip@type":"Int64","Chip":7,"Tags@type":"Collection(String)","Tags":["a"],"Mood@type":"#Zoo.Mood","Mood":"calm"}',
    );
  });

  it('has all links and operations (4.5.8 to 4.5.12, 9, 16, 17)', () => {
    const row = { ...REX, PhotoType: 'image/png' };
    const more = { format: FULL, editable: true, etag: () => 'W/"1"' };
    expect(JSON.parse(members(['Name'], row, more))).toStrictEqual({
      '@odata.type': '#Zoo.Dog',
      '@odata.id': 'Animal(2)',
      '@odata.etag': 'W/"1"',
      '@odata.editLink': 'Animal(2)/Zoo.Dog',
      'Photo@odata.mediaReadLink': 'Animal(2)/Photo',
      'Photo@odata.mediaEditLink': 'Animal(2)/Photo',
      'Photo@odata.mediaContentType': 'image/png',
      'Visits@odata.associationLink': 'Animal(2)/Visits/$ref',
      'Visits@odata.navigationLink': 'Animal(2)/Visits',
      'Keeper@odata.associationLink': 'Animal(2)/Keeper/$ref',
      'Keeper@odata.navigationLink': 'Animal(2)/Keeper',
      '#Zoo.Feed': { title: 'Feed', target: 'Animal(2)/Zoo.Feed' },
      '#Zoo.Age(At)': { title: 'Age', target: 'Animal(2)/Zoo.Age(At=@At)' },
      Name: 'Rex',
    });
  });

  it('has the links that are selected, and a read link where nothing can be changed', () => {
    const more = { format: FULL, links: ['Keeper'], places: ['Elsewhere'] };
    const { '@odata.readLink': readLink, ...rest } = JSON.parse(members(['Name'], TOM, more));
    expect(readLink).toBe('Animal(1)');
    expect(Object.keys(rest).filter((name) => name.endsWith('Link'))).toStrictEqual([
      'Keeper@odata.associationLink',
      'Keeper@odata.navigationLink',
    ]);
  });
});

describe('the id of an entity in minimal metadata (JSON Format, 4.5.8)', () => {
  it.each<[string, readonly string[], Partial<EntityShape>, string]>([
    ['is known from its key', ['Id', 'Name'], {}, '{"Id":2,"Name":"Rex"}'],
    ['is said without the key', ['Name'], { exact: false }, '{"@odata.id":"Animal(2)","Name":"Rex"}'],
    ['is null where it is transient', ['Id'], { canonical: undefined }, '{"@odata.id":null,"Id":2}'],
    ['is not said without metadata', ['Name'], { exact: false, canonical: undefined }, '{"Name":"Rex"}'],
  ])('%s', (_, shown, more, json) => {
    const row: Row = Object.fromEntries(
      Object.entries(REX).filter(([name]) => shown.includes(name) || name === 'Id'),
    );
    const isNone = json === '{"Name":"Rex"}';
    if (isNone) expect(writeEntity(animals(shown, { ...more, format: NONE }), row)).toBe(json);
    else expect(members(shown, row, more)).toBe(json);
  });
});

describe('properties that are left out (Part 1, 8.2.8.6)', () => {
  const row = { Id: 1, Tame: false, Weight: null, Home: { City: 'B', Rent: null } };
  it.each<['nulls' | 'defaults', Row, string]>([
    ['nulls', row, '{"Id":1,"Tame":false,"Home":{"City":"B"}}'],
    ['nulls', { ...row, Tame: null }, '{"Id":1,"Home":{"City":"B"}}'],
    ['defaults', row, '{"Id":1,"Home":{"City":"B"}}'],
    ['defaults', { ...row, Tame: null }, '{"Id":1,"Tame":null,"Home":{"City":"B"}}'],
  ])('%s', (omit, from, json) => {
    expect(members(['Id', 'Tame', 'Weight', 'Home'], from, { omit })).toBe(json);
  });

  it('have no key among them, whatever its default is', () => {
    const animal = entityTypeNamed('Animal');
    const properties = [...animal.structuralProperties].map(
      ([name, property]) => [name, name === 'Id' ? { ...property, defaultValue: '1' } : property] as const,
    );
    const entityType = { ...animal, structuralProperties: new Map(properties) };
    expect(members(['Id', 'Tame'], row, { omit: 'defaults', entityType })).toBe('{"Id":1}');
  });
});

describe('the type of a property (JSON Format, 4.5.3)', () => {
  const animal = entityTypeNamed('Animal');
  const chip = animal.structuralProperties.get('Chip');
  const withDefault = chip && new Map([['Chip', { ...chip, defaultValue: '7' }]]);
  const entityType = { ...animal, structuralProperties: withDefault ?? new Map() };
  const sum = { type: { kind: 'primitive', name: 'Edm.Decimal' }, collection: false } as const;
  const computed = new Map([['Sum', sum]]);
  it.each<[string, Row, Partial<EntityShape>, string]>([
    ['Chip', { Chip: 7 }, { omit: 'defaults', entityType }, ''],
    ['Chip', { Chip: 8 }, { omit: 'defaults', entityType }, ',"Chip@odata.type":"#Int64","Chip":8'],
    ['Sum', { Sum: null }, { computed, omit: 'nulls' }, ''],
    ['Sum', { Sum: null }, { computed }, ',"Sum":null'],
    ['Sum', {}, { computed, partial: true }, ''],
    ['Sum', { Sum: 1 }, { computed, partial: true }, ',"Sum@odata.type":"#Decimal","Sum":1'],
  ])('is left out together with its value: %s of %o, %#', (name, row, more, json) => {
    const shape = animals([name], { format: FULL, canonical: undefined, exact: false, ...more });
    expect(writeEntity(shape, row)).toBe(`{${CONTEXT},"@odata.type":"#Zoo.Animal","@odata.id":null${json}}`);
  });
});

describe('parts of a value', () => {
  it('has the count of a collection that is cut, in front of it (JSON Format, 4.5.6)', () => {
    const row = { Id: 1, Tags: ['x'], 'Tags@count': 3, Home: { City: 'B' } };
    expect(members(['Id', 'Tags', 'Home'], row, { counted: ['Tags'] })).toBe(
      '{"Id":1,"Tags@odata.count":3,"Tags":["x"],"Home":{"City":"B"}}',
    );
  });

  it('has the types of computed properties that JSON does not tell (4.5.3)', () => {
    const primitive = (name: PrimitiveTypeName) =>
      ({ type: { kind: 'primitive', name }, collection: false }) as const;
    const computed = new Map([
      ['Sum', primitive('Edm.Decimal')],
      ['Ok', primitive('Edm.Boolean')],
      ['Mean', primitive('Edm.Double')],
    ]);
    expect(members(['Id', 'Sum', 'Ok', 'Mean'], { Id: 1, Sum: 1.5, Ok: true, Mean: 2 }, { computed })).toBe(
      '{"Id":1,"Sum@odata.type":"#Decimal","Sum":1.5,"Ok":true,"Mean":2}',
    );
  });
});

describe('expanded entities (JSON Format, 8.3)', () => {
  const none = { computed: new Map(), exact: false };
  const visits: Expansion = {
    ...none,
    entityType: entityTypeNamed('Visit'),
    canonical: undefined,
    shown: ['Guest'],
    collection: true,
    control: () => ({ count: 2, nextLink: 'more' }),
  };
  const keeper: Expansion = {
    ...none,
    entityType: entityTypeNamed('Keeper'),
    canonical: () => "Keeper('Ann')",
    shown: ['Name'],
    collection: false,
  };
  const row: Row = { ...TOM, Visits: [{ Number: 1, Guest: 'Bob' }], Keeper: { Name: 'Ann', Shift: 1 } };
  const expand = (
    expanded: Readonly<Record<string, Expansion>>,
    from = row,
    more: Partial<EntityShape> = {},
  ) => members(['Id'], from, { exact: false, expanded: new Map(Object.entries(expanded)), ...more });

  it('stand behind the properties; contained ones have their URLs below the owner', () => {
    expect(expand({ Visits: visits, Keeper: keeper })).toBe(
      '{"Id":1,"Visits@odata.count":2,"Visits":[{"@odata.id":"Animal(1)/Visits(1)","Guest":"Bob"}],"Visits@odata.nextLink":"more","Keeper":{"Name":"Ann"}}',
    );
  });

  it('are null or empty where there is none', () => {
    const { control: _, ...quiet } = visits;
    const alone: Row = { ...TOM, Visits: [], Keeper: null };
    expect(expand({ Visits: quiet, Keeper: keeper }, alone)).toBe('{"Id":1,"Visits":[],"Keeper":null}');
  });

  it('are only counted, or only referred to', () => {
    expect(
      expand({ Visits: { ...visits, countOnly: true }, Keeper: { ...keeper, referencesOnly: true } }),
    ).toBe('{"Id":1,"Visits@odata.count":2,"Keeper":{"@odata.id":"Keeper(\'Ann\')"}}');
  });

  it('are counted in text for clients whose numbers are doubles (3.2)', () => {
    const format = { ...MINIMAL, ieee754Compatible: true };
    const counted = { Visits: { ...visits, countOnly: true } };
    expect(expand(counted, row, { format })).toBe('{"Id":1,"Visits@odata.count":"2"}');
  });
});

describe('entity references (JSON Format, 14)', () => {
  it('are written by their URLs', () => {
    const many = { contextUrl: '~/$metadata#Collection($ref)', format: MINIMAL, version: '4.0' } as const;
    expect(writeReferences(many, ['Animal(1)'], { count: 1 })).toBe(
      '{"@odata.context":"~/$metadata#Collection($ref)","@odata.count":1,"value":[{"@odata.id":"Animal(1)"}]}',
    );
    const one = { contextUrl: '~/$metadata#$ref', format: MINIMAL, version: '4.01' } as const;
    expect(writeReference(one, 'Animal(1)')).toBe('{"@context":"~/$metadata#$ref","@id":"Animal(1)"}');
  });
});
