import type { Expression } from '../../../src/engine/tree/query-tree.ts';
import {
  alias,
  argument,
  binary,
  call,
  count,
  int,
  list,
  literal,
  name,
  path,
  property,
  rooted,
  string,
  unary,
} from './trees.ts';

/** The value of $filter → its tree. */
export const EXPRESSIONS: readonly (readonly [string, Expression])[] = [
  // precedence and associativity
  [
    'a or b and not c eq d',
    binary(
      2,
      'or',
      property(0, 'a'),
      binary(
        7,
        'and',
        property(5, 'b'),
        binary(17, 'eq', unary(11, 'not', property(15, 'c')), property(20, 'd')),
      ),
    ),
  ],
  [
    '1 add 2 mul 3 sub 4',
    binary(14, 'sub', binary(2, 'add', int(0, 1), binary(8, 'mul', int(6, 2), int(12, 3))), int(18, 4)),
  ],
  ['a eq b gt c', binary(2, 'eq', property(0, 'a'), binary(7, 'gt', property(5, 'b'), property(10, 'c')))],
  ['-a mul b', binary(3, 'mul', unary(0, 'negate', property(1, 'a')), property(7, 'b'))],
  ['-2 mul b', binary(3, 'mul', int(0, -2), property(7, 'b'))],
  ['not a in (1,2)', unary(0, 'not', binary(6, 'in', property(4, 'a'), list(9, int(10, 1), int(12, 2))))],
  [
    "style has Sales.Pattern'Yellow' and true",
    binary(
      32,
      'and',
      binary(6, 'has', property(0, 'style'), {
        kind: 'literal',
        position: 10,
        type: 'qualified',
        text: 'Yellow',
        typeName: 'Sales.Pattern',
      }),
      literal(36, 'Edm.Boolean', 'true'),
    ),
  ],
  [
    'a sub b sub c',
    binary(8, 'sub', binary(2, 'sub', property(0, 'a'), property(6, 'b')), property(12, 'c')),
  ],
  [
    '(a or b) and ( c )',
    binary(9, 'and', binary(3, 'or', property(1, 'a'), property(6, 'b')), property(15, 'c')),
  ],
  [
    'a EQ 1 Or NOT(b)',
    binary(7, 'or', binary(2, 'eq', property(0, 'a'), int(5, 1)), unary(10, 'not', property(14, 'b'))),
  ],
  // lists and JSON
  ['Name in ()', binary(5, 'in', property(0, 'Name'), list(8))],
  [
    "Name in ( 'Milk' , @other )",
    binary(5, 'in', property(0, 'Name'), list(8, string(10, 'Milk'), alias(19, 'other'))),
  ],
  ['Name in @names', binary(5, 'in', property(0, 'Name'), alias(8, 'names'))],
  [
    '[Name,"x",null] in [["a",1]]',
    binary(
      16,
      'in',
      list(0, property(1, 'Name'), string(6, 'x'), literal(10, 'null', 'null')),
      list(19, list(20, string(21, 'a'), int(25, 1))),
    ),
  ],
  [
    '{ "a" : {"b\\n\\"": [true]}, "c":$root/Sets(\'x\') }',
    {
      kind: 'object',
      position: 0,
      members: [
        {
          name: 'a',
          value: {
            kind: 'object',
            position: 8,
            members: [{ name: 'b\n"', value: list(18, literal(19, 'Edm.Boolean', 'true')) }],
          },
        },
        {
          name: 'c',
          value: rooted(31, '$root', name(37, 'Sets', [argument(42, undefined, string(42, 'x'))])),
        },
      ],
    },
  ],
  // calls
  [
    "contains(tolower( Title ),'a')",
    call(0, 'contains', call(9, 'tolower', property(18, 'Title')), string(26, 'a')),
  ],
  ['substring(Title,1,2)', call(0, 'substring', property(10, 'Title'), int(16, 1), int(18, 2))],
  ['now( )', call(0, 'now')],
  ['geo.distance(a,b)', call(0, 'geo.distance', property(13, 'a'), property(15, 'b'))],
  ['cast(Edm.String)', call(0, 'cast', { kind: 'type', position: 5, name: 'Edm.String', collection: false })],
  [
    "cast('Edm.String')",
    call(0, 'cast', { kind: 'type', position: 6, name: 'Edm.String', collection: false }),
  ],
  [
    'cast(a/b,Collection(Sales.Size))',
    call(0, 'cast', path(5, name(5, 'a'), name(7, 'b')), {
      kind: 'type',
      position: 9,
      name: 'Sales.Size',
      collection: true,
    }),
  ],
  [
    'isof( Name , Edm.String )',
    call(0, 'isof', property(6, 'Name'), {
      kind: 'type',
      position: 13,
      name: 'Edm.String',
      collection: false,
    }),
  ],
  [
    "case(x gt 10:20,y:'z' , true : null)",
    {
      kind: 'case',
      position: 0,
      branches: [
        { condition: binary(7, 'gt', property(5, 'x'), int(10, 10)), value: int(13, 20) },
        { condition: property(16, 'y'), value: string(18, 'z') },
        { condition: literal(24, 'Edm.Boolean', 'true'), value: literal(31, 'null', 'null') },
      ],
    },
  ],
  ['isdefined(a/b)', call(0, 'isdefined', path(10, name(10, 'a'), name(12, 'b')))],
  // paths
  ['$it', rooted(0, '$it')],
  ['$it/Address/City', rooted(0, '$it', name(4, 'Address'), name(12, 'City'))],
  [
    "$root/Sets('x')/Name",
    rooted(0, '$root', name(6, 'Sets', [argument(11, undefined, string(11, 'x'))]), name(16, 'Name')),
  ],
  ['$this/$count', rooted(0, '$this', count(6))],
  ['@p', alias(0, 'p')],
  ['@p/Name', { kind: 'path', position: 0, root: undefined, alias: 'p', segments: [name(3, 'Name')] }],
  [
    '@Core.Messages%23q/any()',
    path(
      0,
      { kind: 'annotation', position: 0, term: 'Core.Messages#q' },
      { kind: 'lambda', position: 17, operator: 'any', variable: undefined, predicate: undefined },
    ),
  ],
  [
    'Price/@Measures.Currency',
    path(0, name(0, 'Price'), { kind: 'annotation', position: 6, term: 'Measures.Currency' }),
  ],
  [
    'Items/any(i:i/Price gt 1)',
    path(0, name(0, 'Items'), {
      kind: 'lambda',
      position: 6,
      operator: 'any',
      variable: 'i',
      predicate: binary(20, 'gt', path(12, name(12, 'i'), name(14, 'Price')), int(23, 1)),
    }),
  ],
  [
    'Items/ALL( i : i/Tags/any(t:t eq i/Name) )',
    path(0, name(0, 'Items'), {
      kind: 'lambda',
      position: 6,
      operator: 'all',
      variable: 'i',
      predicate: path(15, name(15, 'i'), name(17, 'Tags'), {
        kind: 'lambda',
        position: 22,
        operator: 'any',
        variable: 't',
        predicate: binary(30, 'eq', property(28, 't'), path(33, name(33, 'i'), name(35, 'Name'))),
      }),
    }),
  ],
  ['Items/$count gt 1', binary(13, 'gt', path(0, name(0, 'Items'), count(6)), int(16, 1))],
  [
    'Items/$count($filter=Price gt 1;search=blue sky) gt 1',
    binary(
      49,
      'gt',
      path(0, name(0, 'Items'), {
        kind: 'count',
        position: 6,
        filter: binary(27, 'gt', property(21, 'Price'), int(30, 1)),
        search: {
          kind: 'searchAnd',
          position: 44,
          left: { kind: 'term', position: 39, text: 'blue' },
          right: { kind: 'term', position: 44, text: 'sky' },
        },
      }),
      int(52, 1),
    ),
  ],
  [
    'Items/$filter(Price gt 1)/$count',
    path(
      0,
      name(0, 'Items'),
      { kind: 'filter', position: 6, predicate: binary(20, 'gt', property(14, 'Price'), int(23, 1)) },
      count(26),
    ),
  ],
  [
    'Items(1)/Sales.Discount(Rate=Price mul 2,Codes=["a"])(Id=1)/Name',
    path(
      0,
      name(0, 'Items', [argument(6, undefined, int(6, 1))]),
      {
        kind: 'name',
        position: 9,
        name: 'Sales.Discount',
        arguments: [
          argument(24, 'Rate', binary(35, 'mul', property(29, 'Price'), int(39, 2))),
          argument(41, 'Codes', list(47, string(48, 'a'))),
        ],
        key: [argument(54, 'Id', int(57, 1))],
      },
      name(60, 'Name'),
    ),
  ],
  [
    'Sales/aggregate(Amount with sum from Time with max)',
    path(0, name(0, 'Sales'), {
      kind: 'aggregate',
      position: 6,
      item: {
        position: 16,
        expression: property(16, 'Amount'),
        method: 'sum',
        from: [{ property: ['Time'], method: 'max' }],
        alias: undefined,
      },
    }),
  ],
  [
    '$these/aggregate($count)',
    rooted(0, '$these', {
      kind: 'aggregate',
      position: 7,
      item: { position: 17, expression: undefined, method: undefined, from: [], alias: undefined },
    }),
  ],
  ['length', property(0, 'length')],
  ['contains/year', path(0, name(0, 'contains'), name(9, 'year'))],
];
