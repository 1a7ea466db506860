import { describe, expect, it } from 'vitest';
import { errorOf } from './sample.ts';
import { animals, compiled, type Query } from './zoo.ts';

/** A condition, the animals that it is true for, and the values of its parameter aliases. */
type Case = readonly [condition: string, ids: string, aliases?: Query];

const BONN = '{"City":"Bonn","Zip":53111,"Geo":{"Height":60.5,"Kind":"Blue"}}';
const OSLO = '{"@odata.type":"#Zoo.Foreign","City":"Oslo","Country":"NO"}';
const SHORT = '{"Day":"2024-01-02","Cost":5.0,"Note":"short","Guests":["Eve","Ada"]}';

const CASES: Readonly<Record<string, readonly Case[]>> = {
  '5.3, parameter aliases: JSON objects and arrays': [
    ['@p/City eq Home/City', 'a', { '@p': '{"City":"Bonn"}' }],
    ['@p/Inner/Name eq Name', 'b', { '@p': '{"Inner":{"Name":"Bo"}}' }],
    ['@p/Nope eq null', 'abcd', { '@p': '{"City":"Bonn"}' }],
    ['@p/__proto__ eq null', 'abcd', { '@p': '{"City":"Bonn"}' }],
    ['@p/Name eq Name', 'abcd', { '@p': '{"Name":$it/Name}' }],
    ['Name in @list', 'ab', { '@list': '["Ada","Bo"]' }],
    ['@list/any(n:n eq Name)', 'ac', { '@list': '["Ada","Cy"]' }],
    ['@list/$count eq 2', 'abcd', { '@list': '["Ada","Cy"]' }],
    ['@list/any(p:p/City eq Home/City)', 'ab', { '@list': '[{"City":"Bonn"},{"City":"Oslo"}]' }],
    ['Name in @p/Names', 'c', { '@p': '{"Names":["Cy"]}' }],
    ['@p eq 5', '', { '@p': '{"City":"Bonn"}' }],
  ],
  '5.1.1.1.1, complex values are equal where all of their values are': [
    ['Home eq Home', 'abcd'],
    ['Home eq @p', 'a', { '@p': BONN }],
    ['@p eq Home', 'a', { '@p': BONN }],
    ['not (Home eq @p)', 'bcd', { '@p': BONN }],
    ['Home eq @p', '', { '@p': '{"City":"Bonn","Zip":53111}' }],
    ['Home eq @p', 'b', { '@p': OSLO }],
    ['Home eq @p', '', { '@p': '{"City":"Oslo","Zip":null}' }],
    ['Home/Geo eq @p', 'a', { '@p': '{"Kind":"Blue","Height":60.5}' }],
    ['Home/Zoo.Foreign eq Home', 'bcd'],
    ['Home in (@p,@q)', 'ab', { '@p': BONN, '@q': OSLO }],
    ['@p in Visits', 'a', { '@p': SHORT }],
    ['Visits/any(v:v eq @p)', 'a', { '@p': SHORT }],
    ['Any eq @p', 'c', { '@p': '{"constructor":"mine","Deep":{"er":[1,2.0]}}' }],
  ],
  '5.1.1.1.2, ne is true where eq is false': [
    ['Home ne Home', ''],
    ['Home ne @p', 'bcd', { '@p': BONN }],
    ["Tags ne ['y']", 'acd'],
  ],
  '5.1.1.1.1, entities are equal where their keys are': [
    ['$it eq $it', 'abcd'],
    ['Zoo.Dog eq $it', 'bc'],
    ['Toys/any(t:t eq Best)', 'a'],
    ['Best eq @t', 'a', { '@t': '{"Id":"t2"}' }],
    ['Best ne @t', 'bcd', { '@t': '{"Id":"t2"}' }],
  ],
  '5.1.1.1.1, collections are equal where each item is, in their order': [
    ["Tags eq ['x','y','x']", 'a'],
    ["Tags eq ['x','x','y']", ''],
    ['Tags eq []', 'd'],
    ['Tags eq @t', 'b', { '@t': '["y"]' }],
    ['Tags eq Tags', 'abcd'],
    ['Scores eq [1.5,2.5,3]', 'a'],
    ["Colours eq ['Green','Red']", 'a'],
    ["Codes eq ['0123abcd-0123-4567-89AB-0123456789ab']", 'a'],
    ['Best/Parts eq null', 'bcd'],
    ['Best/Parts eq []', 'a'],
    ['Any/Deep/er eq [1,2]', 'c'],
    ["Tags in (['y'],[])", 'bd'],
    ['Toys/any(t:t/Parts eq @p)', 'a', { '@p': '["x","q"]' }],
    ['[1,2] eq [1.0,2]', 'abcd'],
    ['[null] eq [null]', 'abcd'],
  ],
  '5.1.1.6, functions of collections compare items that are complex': [
    ['hassubset(Visits,@v)', 'a', { '@v': `[${SHORT}]` }],
    ['indexof(Visits,@v) eq 0', 'a', { '@v': `[${SHORT}]` }],
    ['startswith(Visits,@v)', '', { '@v': `[{"Note":"short"}]` }],
  ],
  '5.1.1.10, cast and isof of collections go item by item': [
    ["cast(Scores,Collection(Edm.String)) eq ['1.5','2.50','3']", 'a'],
    ['cast(Colours,Collection(Edm.Int32)) eq [2,1]', 'a'],
    ['cast(Tags,Collection(Edm.Int32)) eq [null]', 'b'],
    ['cast(Tags,Collection(Edm.String)) eq Tags', 'abcd'],
    ['cast(Tags,Edm.String) eq null', 'abcd'],
    ['cast(Name,Collection(Edm.String)) eq null', 'abcd'],
    ["cast(Any/Deep/er,Collection(Edm.String)) eq ['1','2']", 'c'],
    ['isof(Tags,Collection(Edm.String))', 'abcd'],
    ['isof(Tags,Collection(Edm.Int32))', ''],
    ['isof(Tags,Edm.String)', ''],
    ['isof(Name,Collection(Edm.String))', ''],
    ['isof(Toys,Collection(Zoo.Toy))', 'abcd'],
    ['isof(Toys,Collection(Edm.EntityType))', 'abcd'],
    ['isof(Any/Deep/er,Collection(Edm.Int32))', 'c'],
    ['isof(Any/Deep/er,Collection(Edm.String))', ''],
  ],
  '5.1.1.7.1, matchesPattern with a pattern that each row has': [
    ["matchesPattern('Ada and Bo',Name)", 'ab'],
    ["matchesPattern(Name,concat('^',Name))", 'abc'],
    ["matchesPattern(Name,concat(Name,'$'))", 'abc'],
    ["Tags/any(t:matchesPattern('xyz',concat(t,'$')))", 'c'],
  ],
};

const withAliases = ([condition, ids, aliases = {}]: Case) => [condition, ids, aliases] as const;

describe.each(Object.entries(CASES))('Part 2, %s', (_section, cases) => {
  it.each(cases.map(withAliases))('%s: %s %o', ($filter, ids, aliases) => {
    expect(animals({ $filter, ...aliases })).toBe(ids);
  });
});

describe('JSON that is no value of the expected type', () => {
  it.each([
    [
      'Home eq @p',
      '{"Town":"Bonn"}',
      "$filter: expected properties of Zoo.Address, found 'Town' at position 8",
    ],
    ['Home eq @p', '{"City":5}', '$filter: expected Edm.String, found Edm.Int32 at position 8'],
    [
      'Home eq @p',
      '{"City":{"Name":"Bonn"}}',
      '$filter: expected Edm.String, found Edm.Untyped at position 8',
    ],
    [
      'Home eq @p',
      '{"City":["Bonn"]}',
      '$filter: expected Edm.String, found Collection(Edm.String) at position 8',
    ],
    [
      'Home eq @p',
      '{"@odata.type":"#Zoo.Visit"}',
      "$filter: expected Zoo.Address or a type derived from it, found '#Zoo.Visit' at position 15",
    ],
    [
      'Home eq @p',
      '{"City@odata.type":"#Int32","City":"Bonn"}',
      "$filter: expected Edm.String, found '#Int32' at position 19",
    ],
    [
      'Home/Geo eq @p',
      '{"Kind":"Pink"}',
      "$filter: expected a member of Zoo.Colour (Red, Green, Blue), found 'Pink' at position 8",
    ],
    [
      'Home eq @p',
      '["Bonn"]',
      "$filter: 'eq' expects operands of one type, found Zoo.Address and Collection(Edm.String) at position 5",
    ],
    [
      'Home gt @p',
      '{"City":"Bonn"}',
      "$filter: 'gt' expects values that have an order, found Zoo.Address at position 5",
    ],
  ])('%s %s', ($filter, json, message) => {
    expect(errorOf(() => compiled({ $filter, '@p': json }))).toEqual({
      code: 'BadRequest',
      message,
      target: '$filter',
    });
  });
});

describe('a malformed pattern of a row', () => {
  it('is a mistake, as one in the URL is', () => {
    expect(errorOf(() => animals({ $filter: "matchesPattern('x',concat('(',Name))" }))).toEqual({
      code: 'BadRequest',
      message: "$filter: 'matchesPattern' expects a regular expression, found a malformed one at position 0",
      target: '$filter',
    });
  });
});
