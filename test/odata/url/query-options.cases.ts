import type { QueryOptions } from '../../../src/engine/tree/query-tree.ts';
import { alias, aliases, binary, call, int, list, literal, property, string } from './trees.ts';

/** Raw query → options. */
export const OPTIONS: readonly (readonly [string, Partial<QueryOptions>])[] = [
  ['$top=5&skip=010&$COUNT=false', { top: 5, skip: 10, count: false }],
  ["%24filter=a%20eq%20'%26%3D%23'", { filter: binary(2, 'eq', property(0, 'a'), string(5, '&=#')) }],
  [
    '$orderby=a desc, length(b) ASC,c',
    {
      orderBy: [
        { position: 0, expression: property(0, 'a'), descending: true },
        { position: 8, expression: call(8, 'length', property(15, 'b')), descending: false },
        { position: 22, expression: property(22, 'c'), descending: false },
      ],
    },
  ],
  [
    '$compute=a mul 2 as Twice,b as B',
    {
      compute: [
        { position: 0, expression: binary(2, 'mul', property(0, 'a'), int(6, 2)), alias: 'Twice' },
        { position: 17, expression: property(17, 'b'), alias: 'B' },
      ],
    },
  ],
  [
    '$index=-1&$skiptoken=a=b?c&$deltatoken=x&$schemaversion=*&$format=application/json;odata.metadata=none',
    {
      index: -1,
      skipToken: 'a=b?c',
      deltaToken: 'x',
      schemaVersion: '*',
      format: 'application/json;odata.metadata=none',
    },
  ],
  ['$top=99999999999999999999', { top: 9007199254740991 }],
  [
    '@p=1&@q&@r=&$filter=a eq @p',
    {
      filter: binary(2, 'eq', property(0, 'a'), alias(5, 'p')),
      aliases: aliases({ p: int(0, 1), q: literal(0, 'null', 'null'), r: literal(0, 'null', 'null') }),
    },
  ],
  [
    '@list=["a"]&@expression=a eq 1',
    {
      aliases: aliases({
        list: list(0, string(1, 'a')),
        expression: binary(2, 'eq', property(0, 'a'), int(5, 1)),
      }),
    },
  ],
  [
    "apikey=a+b%2B&color='red'&color=2&!x&&",
    {
      custom: new Map([
        ['apikey', ['a+b+']],
        ['color', ["'red'", '2']],
        ['!x', ['']],
      ]),
    },
  ],
  ['$format=json', { format: 'json' }],
  ['$Format=atom', { format: 'atom' }],
  ['format=xml', { format: 'xml' }],
  ['$format=text/html', { format: 'text/html' }],
  ['$format=JSON', { format: 'JSON' }],
];
