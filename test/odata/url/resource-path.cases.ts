import type { ResourcePath } from '../../../src/odata/url/request-target.ts';
import { alias, argument, binary, count, int, list, name, property, string } from './trees.ts';

/** Raw target → path. */
export const PATHS: readonly (readonly [string, ResourcePath])[] = [
  ['/', { kind: 'serviceRoot' }],
  ['/Post/', { kind: 'resource', segments: [name(0, 'Post')] }],
  [
    "/Post('a%2Fb')",
    { kind: 'resource', segments: [name(0, 'Post', [argument(5, undefined, string(5, 'a/b'))])] },
  ],
  [
    "/Post('O''Neil%27%27s')",
    { kind: 'resource', segments: [name(0, 'Post', [argument(5, undefined, string(5, "O'Neil's"))])] },
  ],
  [
    "/Post(Id='1',Size=-5)",
    {
      kind: 'resource',
      segments: [name(0, 'Post', [argument(5, 'Id', string(8, '1')), argument(12, 'Size', int(17, -5))])],
    },
  ],
  [
    '/Post%28%271%27%29',
    { kind: 'resource', segments: [name(0, 'Post', [argument(5, undefined, string(5, '1'))])] },
  ],
  [
    '/Post(@key)',
    { kind: 'resource', segments: [name(0, 'Post', [argument(5, undefined, alias(5, 'key'))])] },
  ],
  ['/Post()', { kind: 'resource', segments: [name(0, 'Post', [])] }],
  [
    '/Best(Sizes=["a%2Fb",{"x":1}],Where=@w)(1)/Name',
    {
      kind: 'resource',
      segments: [
        {
          kind: 'name',
          position: 0,
          name: 'Best',
          arguments: [
            argument(
              5,
              'Sizes',
              list(11, string(12, 'a/b'), {
                kind: 'object',
                position: 18,
                members: [{ name: 'x', value: int(23, 1) }],
              }),
            ),
            argument(27, 'Where', alias(33, 'w')),
          ],
          key: [argument(37, undefined, int(37, 1))],
        },
        name(40, 'Name'),
      ],
    },
  ],
  ['/Orders/2001/1', { kind: 'resource', segments: [name(0, 'Orders'), name(7, '2001'), name(12, '1')] }],
  [
    '/Orders/Smartphone%2FTablet/Name',
    { kind: 'resource', segments: [name(0, 'Orders'), name(7, 'Smartphone/Tablet'), name(25, 'Name')] },
  ],
  ['/People/O%27Neil', { kind: 'resource', segments: [name(0, 'People'), name(7, "O'Neil")] }],
  [
    '/People/joe@host/@Core.Messages',
    {
      kind: 'resource',
      segments: [
        name(0, 'People'),
        name(7, 'joe@host'),
        { kind: 'annotation', position: 16, term: 'Core.Messages' },
      ],
    },
  ],
  ['/People/%253Cb%253E', { kind: 'resource', segments: [name(0, 'People'), name(7, '%3Cb%3E')] }],
  [
    '/Customers(1)/Sales.Vip/Orders(Id=2)/$ref',
    {
      kind: 'resource',
      segments: [
        name(0, 'Customers', [argument(10, undefined, int(10, 1))]),
        name(13, 'Sales.Vip'),
        name(23, 'Orders', [argument(30, 'Id', int(33, 2))]),
        { kind: 'system', position: 36, name: 'ref' },
      ],
    },
  ],
  ['/Post/$count', { kind: 'resource', segments: [name(0, 'Post'), count(5)] }],
  [
    "/Post/$filter(Id%20eq%20'a%2Fb')/$filter(@f)/$each/Sales.Discount",
    {
      kind: 'resource',
      segments: [
        name(0, 'Post'),
        { kind: 'filter', position: 5, predicate: binary(16, 'eq', property(13, 'Id'), string(19, 'a/b')) },
        { kind: 'filter', position: 26, predicate: alias(34, 'f') },
        { kind: 'system', position: 38, name: 'each' },
        name(44, 'Sales.Discount'),
      ],
    },
  ],
  [
    '/Post/$filter(a%09eq%09b)',
    {
      kind: 'resource',
      segments: [
        name(0, 'Post'),
        { kind: 'filter', position: 5, predicate: binary(15, 'eq', property(13, 'a'), property(18, 'b')) },
      ],
    },
  ],
  [
    "/Post('1')/Photo/$value",
    {
      kind: 'resource',
      segments: [
        name(0, 'Post', [argument(5, undefined, string(5, '1'))]),
        name(10, 'Photo'),
        { kind: 'system', position: 16, name: 'value' },
      ],
    },
  ],
  [
    '/Post/$query',
    { kind: 'resource', segments: [name(0, 'Post'), { kind: 'system', position: 5, name: 'query' }] },
  ],
  ['/$metadata', { kind: 'metadata' }],
  ['/%24batch', { kind: 'batch' }],
  ['/$entity/Sales.Vip?$id=x', { kind: 'entity', typeName: 'Sales.Vip' }],
  ['/$all/Sales.Vip', { kind: 'all', typeName: 'Sales.Vip' }],
  ['/$crossjoin(A,B)/$count', { kind: 'crossjoin', entitySets: ['A', 'B'], segments: [count(16)] }],
];
