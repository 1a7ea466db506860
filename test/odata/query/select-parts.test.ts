import { describe, expect, it } from 'vitest';
import { type Row, TYPE } from '../../../src/contract/row.ts';
import { errorOf } from './sample.ts';
import { ANIMALS, animals, compiled, compiledEntity, type Query } from './zoo.ts';

/** The shown part of an animal. */
function shownOf(query: Query, id = 'a'): Row {
  const { run, selected, counted } = compiled(query);
  const row = run(ANIMALS).rows.find(({ Id }) => Id === id) ?? {};
  const names = [...selected, ...counted.map((name) => `${name}@count`)];
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));
}

const select = ($select: string, id?: string) => shownOf({ $select }, id);

describe('Part 2, 5.1.3: paths in $select', () => {
  it.each<[string, Row]>([
    ['Home/City', { Home: { City: 'Bonn' } }],
    ['Home/City,Home/Zip', { Home: { City: 'Bonn', Zip: 53111 } }],
    ['Home/Zip,Home/City', { Home: { City: 'Bonn', Zip: 53111 } }],
    ['Home/Geo/Height', { Home: { Geo: { Height: 60.5 } } }],
    ['Home/*', { Home: { City: 'Bonn', Zip: 53111, Geo: { Height: 60.5, Kind: 'Blue' } } }],
    ['Home,Home/City', { Home: { City: 'Bonn', Zip: 53111, Geo: { Height: 60.5, Kind: 'Blue' } } }],
    ['Home/City,Home', { Home: { City: 'Bonn', Zip: 53111, Geo: { Height: 60.5, Kind: 'Blue' } } }],
    ['Home($select=City)', { Home: { City: 'Bonn' } }],
    ['Home($select=City),Home/Zip', { Home: { City: 'Bonn', Zip: 53111 } }],
    ['Visits/Day', { Visits: [{ Day: '2024-01-02' }, { Day: '2024-01-01' }] }],
    ['Zoo.Animal/Name', { Name: 'Ada' }],
    ['Name,Zoo.*', { Name: 'Ada' }],
    ['Name,Zoo.Nearest', { Name: 'Ada' }],
    ['Name,Friends', { Name: 'Ada' }],
    ['Name,Toys', { Name: 'Ada' }],
    ['Zoo.Dog/Barks,Name', { Name: 'Ada' }],
  ])('%s', ($select, shown) => {
    expect(select($select)).toEqual(shown);
  });

  it('lead through derived types', () => {
    expect(select('Zoo.Dog/Barks', 'b')).toEqual({ Barks: 7 });
    expect(select('Zoo.Dog/Home/City', 'b')).toEqual({ Home: { [TYPE]: 'Foreign', City: 'Oslo' } });
    expect(select('Home/Zoo.Foreign/Country', 'b')).toEqual({ Home: { [TYPE]: 'Foreign', Country: 'NO' } });
    expect(select('Home/City', 'c')).toEqual({ Home: null });
    expect(select('*', 'c')).toMatchObject({ Barks: null, Weeks: 3 });
    expect(select('Zoo.Dog/*', 'b')).toMatchObject({ Barks: 7 });
  });

  it('keep the type of the row, and change no row', () => {
    const row = compiled({ $select: 'Home/City' }).run(ANIMALS).rows[1];
    expect(row?.[TYPE]).toBe('Dog');
    expect(ANIMALS[1]?.['Home']).toMatchObject({ City: 'Oslo', Zip: null, Country: 'NO' });
  });

  it('ask for the first name, of derived types, too', () => {
    const { properties, selected } = compiled({
      $select: 'Home/City,Zoo.Puppy/Weeks',
      $filter: 'Zoo.Dog/Barks gt 1',
    });
    expect(properties).toEqual(['Id', 'Home', 'Barks', 'Weeks']);
    expect(selected).toEqual(['Home', 'Weeks']);
  });

  it('ask for entities that stand in the row only where an option reads them', () => {
    expect(compiled({}).properties).not.toContain('Toys');
    expect(compiled({ $select: 'Id', $filter: 'Toys/any()' }).properties).toEqual(['Id', 'Toys']);
  });
});

describe('Part 2, 5.1.3: options in $select', () => {
  it.each<[string, Row]>([
    [`Tags($filter=$this eq 'x')`, { Tags: ['x', 'x'] }],
    ['Tags($orderby=$this desc)', { Tags: ['y', 'x', 'x'] }],
    ['Tags($orderby=$this;$skip=1;$top=1)', { Tags: ['x'] }],
    ['Tags($search=Y)', { Tags: ['y'] }],
    ['Tags($top=1;$count=true)', { Tags: ['x'], 'Tags@count': 3 }],
    [`Tags($filter=$this eq 'y';$count=true;$top=0)`, { Tags: [], 'Tags@count': 1 }],
    ['Colours($orderby=$this)', { Colours: ['Red', 'Green'] }],
    ['Scores($filter=$this gt 2;$orderby=$this desc)', { Scores: [3, '2.50'] }],
    ['Visits($filter=Cost gt 5;$select=Day)', { Visits: [{ Day: '2024-01-01' }] }],
    ['Visits($orderby=Day;$top=1;$select=Note)', { Visits: [{ Note: null }] }],
    [
      `Visits($filter=$it/Name eq 'Ada' and Note eq 'short';$select=Day)`,
      { Visits: [{ Day: '2024-01-02' }] },
    ],
    [`Visits($filter=Guests/any(g:g eq $it/Name);$select=Day)`, { Visits: [{ Day: '2024-01-02' }] }],
    [
      'Visits($select=Guests($top=1;$count=true))',
      {
        Visits: [
          { Guests: ['Eve'], 'Guests@count': 2 },
          { Guests: [], 'Guests@count': 0 },
        ],
      },
    ],
    [
      'Visits($compute=length(Note) as N;$select=Day,N;$filter=N gt 1)',
      { Visits: [{ Day: '2024-01-02', N: 5 }] },
    ],
    ['Visits($search=short;$select=Day)', { Visits: [{ Day: '2024-01-02' }] }],
  ])('%s', ($select, shown) => {
    expect(select($select)).toEqual(shown);
  });

  it('read of the row what they name', () => {
    expect(compiled({ $select: `Tags($filter=$this eq $it/Name)` }).properties).toEqual([
      'Id',
      'Name',
      'Tags',
    ]);
  });

  it('apply to one entity, too', () => {
    const query = compiledEntity({ $select: 'Home/City,Tags($top=1)' });
    expect(query.run(ANIMALS[0] as Row)).toMatchObject({ Home: { City: 'Bonn' }, Tags: ['x'] });
  });

  it('may use aliases', () => {
    expect(shownOf({ $select: 'Tags($filter=$this eq @t)', '@t': `'y'` })).toEqual({ Tags: ['y'] });
  });
});

describe('Part 1, 11.2.6.2: $orderby', () => {
  it.each([
    ['Colour', 'dacb'],
    ['Colour desc', 'bcad'],
    ['Home/City', 'cdab'],
    ['Home/Geo/Height desc', 'abcd'],
    ['Tags/$count desc,Id', 'acbd'],
    [`Tags/$count($filter=$this eq 'x') desc`, 'abcd'],
    ['Zoo.Dog/Barks desc', 'bacd'],
    ['Data', 'cdab'],
    ['Data desc', 'bacd'],
    [`Tags/any(t:t eq 'z') desc`, 'cabd'],
  ])('%s', ($orderby, ids) => {
    expect(animals({ $orderby })).toBe(ids);
  });
});

describe('$compute over every type', () => {
  it.each([
    ['Colour as C', 'Red'],
    ['Home/City as C', 'Bonn'],
    ['Tags/$count as C', 3],
    [`Visits/$count($filter=Cost gt 5) as C`, 1],
    [`Tags/any(t:t eq 'x') as C`, true],
    [`case(Colour eq 'Red':'warm',true:'cold') as C`, 'warm'],
    ['Home/Geo as C', { Height: 60.5, Kind: 'Blue' }],
    [`concat(Tags,['z']) as C`, ['x', 'y', 'x', 'z']],
    ['Visits/$filter(Cost gt 5)/$count as C', 1],
    ['Any as C', 5],
  ])('%s', ($compute, value) => {
    expect(compiled({ $compute, $select: 'C' }).run(ANIMALS).rows[0]?.['C']).toEqual(value);
  });

  it.each([
    ['Colour', { type: { kind: 'enumeration', name: 'Colour' }, collection: false }],
    ['Home', { type: { kind: 'complex', name: 'Address' }, collection: false }],
    ['Visits', { type: { kind: 'complex', name: 'Visit' }, collection: true }],
    ['Any', { type: { kind: 'primitive', name: 'Edm.Untyped' }, collection: false }],
    ['[]', { type: { kind: 'primitive', name: 'Edm.String' }, collection: true }],
  ])('says what %s holds', (expression, use) => {
    expect(compiled({ $compute: `${expression} as C` }).computed.get('C')).toMatchObject(use);
  });

  it('may be used where a name is', () => {
    const $compute = `Visits/$count as N`;
    expect(animals({ $compute, $filter: 'N eq 2' })).toBe('a');
    expect(animals({ $compute, $orderby: 'N desc,Id desc' })).toBe('adcb');
  });
});

describe('a mistake', () => {
  it.each<[Query, string, string]>([
    [
      { $filter: `Colour eq 'Pink'` },
      '$filter',
      `expected a member of Zoo.Colour (Red, Green, Blue), found 'Pink' at position 10`,
    ],
    [
      { $filter: `Colour eq Zoo.Colour'Red,Green'` },
      '$filter',
      `expected a member of Zoo.Colour (Red, Green, Blue), found 'Red,Green' at position 10`,
    ],
    [
      { $filter: `Colour in ('Red','9')` },
      '$filter',
      `expected a member of Zoo.Colour (Red, Green, Blue), found '9' at position 17`,
    ],
    [
      { $filter: `Likes has 'Rocks'` },
      '$filter',
      `expected a member of Zoo.Food (Meat, Fish, Fruit, Swim), found 'Rocks' at position 10`,
    ],
    [
      { $filter: 'Colour eq 1' },
      '$filter',
      `'eq' expects operands of one type, found Zoo.Colour and Edm.Int32 at position 7`,
    ],
    [
      { $filter: 'Colour eq Likes' },
      '$filter',
      `'eq' expects operands of one type, found Zoo.Colour and Zoo.Food at position 7`,
    ],
    [
      { $filter: `Name has 'Red'` },
      '$filter',
      `'has' expects an enumeration, found Edm.String at position 5`,
    ],
    [
      { $filter: 'Home gt Home' },
      '$filter',
      `'gt' expects values that have an order, found Zoo.Address at position 5`,
    ],
    [
      { $filter: 'Home/Nope eq 1' },
      '$filter',
      `expected a property of Zoo.Address, found 'Nope' at position 5`,
    ],
    [{ $filter: 'Barks eq 1' }, '$filter', `expected a property of Zoo.Animal, found 'Barks' at position 0`],
    [
      { $filter: 'Zoo.Toy/Price eq 1' },
      '$filter',
      `expected a type derived from Zoo.Animal, found 'Zoo.Toy' at position 0`,
    ],
    [
      { $filter: 'Zoo.Nope/Price eq 1' },
      '$filter',
      `expected a type derived from Zoo.Animal, found 'Zoo.Nope' at position 0`,
    ],
    [
      { $filter: 'Name/Zoo.Dog eq null' },
      '$filter',
      `expected nothing after Edm.String, found 'Zoo.Dog' at position 5`,
    ],
    [
      { $filter: `Visits/Note eq 'x'` },
      '$filter',
      `expected 'any', 'all' or '$count' after Collection(Zoo.Visit), found 'Note' at position 7`,
    ],
    [{ $filter: 'Tags/any(t:t)' }, '$filter', `'any' expects Edm.Boolean, found Edm.String at position 11`],
    [
      { $filter: 'Tags/any(t:t/x eq 1)' },
      '$filter',
      `expected nothing after Edm.String, found 'x' at position 13`,
    ],
    [
      { $filter: `1 in Tags` },
      '$filter',
      `'eq' expects operands of one type, found Edm.Int32 and Edm.String at position 2`,
    ],
    [
      { $filter: `hassubset(Tags,[1])` },
      '$filter',
      `'hassubset' expects (collection, collection), found (Collection(Edm.String), Collection(Edm.Int32)) at position 0`,
    ],
    [
      { $orderby: 'Tags' },
      '$orderby',
      `expected a single primitive value to sort by, found Collection(Edm.String) at position 0`,
    ],
    [
      { $orderby: 'Home' },
      '$orderby',
      `expected a single primitive value to sort by, found Zoo.Address at position 0`,
    ],
    [
      { $orderby: 'Spot' },
      '$orderby',
      `expected a single primitive value to sort by, found Edm.GeographyPoint at position 0`,
    ],
    [{ $select: 'Home/Nope' }, '$select', `expected a property of Zoo.Address, found 'Nope' at position 0`],
    [
      { $select: 'Name/x' },
      '$select',
      `expected nothing after the primitive 'Name', found '/x' at position 0`,
    ],
    [
      { $select: 'Tags/x' },
      '$select',
      `expected nothing after the primitive 'Tags', found '/x' at position 0`,
    ],
    [{ $select: 'Barks' }, '$select', `expected a property of Zoo.Animal, found 'Barks' at position 0`],
    [
      { $select: 'Zoo.Toy/Price' },
      '$select',
      `expected a type derived from Zoo.Animal, found 'Zoo.Toy' at position 0`,
    ],
    [{ $select: 'Zoo.Nope' }, '$select', `expected a property of Zoo.Animal, found 'Zoo.Nope' at position 0`],
    [
      { $select: 'Tags($top=1),Tags($skip=1)' },
      '$select',
      `expected options of 'Tags' once, found them again at position 13`,
    ],
    [{ $compute: 'Id as Friends' }, '$compute', `expected an unused name, found 'Friends' at position 0`],
    [{ $compute: 'Id as Barks' }, '$compute', `expected an unused name, found 'Barks' at position 0`],
  ])('%o', (query, target, message) => {
    expect(errorOf(() => compiled(query))).toEqual({
      code: 'BadRequest',
      message: `${target}: ${message}`,
      target,
    });
  });

  it('is an option of collections for a single value', () => {
    expect(errorOf(() => compiled({ $select: 'Home($top=1)' }))).toEqual({
      code: 'BadRequest',
      message: `$top does not apply to the single value 'Home'`,
      target: '$top',
    });
  });

  it.each<[Query, string, string]>([
    [
      { $filter: 'Zoo.Nearest() eq null' },
      '$filter',
      `the function 'Zoo.Nearest' in an expression at position 0`,
    ],
    [{ $select: 'Name,@Core.Messages' }, '$select', `'@Core.Messages' in $select at position 5`],
    [{ $compute: 'Best as T' }, '$compute', 'a computed property of type Zoo.Toy at position 0'],
  ])('or not implemented: %o', (query, target, what) => {
    const message = `${target}: ${what} is not implemented`;
    expect(errorOf(() => compiled(query))).toEqual({ code: 'NotImplemented', message, target });
  });
});
