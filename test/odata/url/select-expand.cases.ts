import type { SystemQueryOptions } from '../../../src/engine/tree/query-tree.ts';
import { aliases, binary, int, name, property, rooted, string } from './trees.ts';

/** Raw query → options. */
export const SELECTIONS: readonly (readonly [string, SystemQueryOptions])[] = [
  ['$select=*', { select: [{ position: 0, path: ['*'], options: undefined }] }],
  [
    '$select=Id, Address/City,Sales.*,Sales.Vip/Name,@Core.Messages',
    {
      select: [
        { position: 0, path: ['Id'], options: undefined },
        { position: 4, path: ['Address', 'City'], options: undefined },
        { position: 17, path: ['Sales.*'], options: undefined },
        { position: 25, path: ['Sales.Vip', 'Name'], options: undefined },
        { position: 40, path: ['@Core.Messages'], options: undefined },
      ],
    },
  ],
  [
    '$select=Sales.Best(Size,Color),Worst()',
    {
      select: [
        { position: 0, path: ['Sales.Best'], parameters: ['Size', 'Color'], options: undefined },
        { position: 23, path: ['Worst'], parameters: [], options: undefined },
      ],
    },
  ],
  [
    "$select=Address($select=City;$compute=1 as One),Tags($filter=$this eq 'a';$top=2;skip=1;$count=true;$orderby=$this;$search=x;@c=1)",
    {
      select: [
        {
          position: 0,
          path: ['Address'],
          options: {
            select: [{ position: 16, path: ['City'], options: undefined }],
            compute: [{ position: 30, expression: int(30, 1), alias: 'One' }],
          },
        },
        {
          position: 40,
          path: ['Tags'],
          options: {
            filter: binary(59, 'eq', rooted(53, '$this'), string(62, 'a')),
            top: 2,
            skip: 1,
            count: true,
            orderBy: [{ position: 101, expression: rooted(101, '$this'), descending: false }],
            search: { kind: 'term', position: 115, text: 'x' },
            aliases: aliases({ c: int(120, 1) }),
          },
        },
      ],
    },
  ],
  [
    '$expand=*,*/$ref,*($levels=2),Customer',
    {
      expand: [
        { position: 0, path: ['*'], form: 'entities', levels: undefined, options: undefined },
        { position: 2, path: ['*'], form: 'ref', levels: undefined, options: undefined },
        { position: 9, path: ['*'], form: 'entities', levels: 2, options: undefined, written: ['$levels=2'] },
        { position: 22, path: ['Customer'], form: 'entities', levels: undefined, options: undefined },
      ],
    },
  ],
  [
    '$expand=Customer($levels=max),Orders/Sales.Vip($expand=Items($select=Id);$filter=a eq 1)',
    {
      expand: [
        {
          position: 0,
          path: ['Customer'],
          form: 'entities',
          levels: 3,
          options: undefined,
          written: ['$levels=max'],
        },
        {
          position: 22,
          path: ['Orders', 'Sales.Vip'],
          form: 'entities',
          levels: undefined,
          options: {
            expand: [
              {
                position: 47,
                path: ['Items'],
                form: 'entities',
                levels: undefined,
                options: { select: [{ position: 61, path: ['Id'], options: undefined }] },
                written: ['$select=Id'],
              },
            ],
            filter: binary(75, 'eq', property(73, 'a'), int(78, 1)),
          },
          written: ['$expand=Items($select=Id)', '$filter=a eq 1'],
        },
      ],
    },
  ],
  [
    '$expand=Orders/$ref($top=1),Orders/$count($search=x y;filter=a),@Core.Entity',
    {
      expand: [
        {
          position: 0,
          path: ['Orders'],
          form: 'ref',
          levels: undefined,
          options: { top: 1 },
          written: ['$top=1'],
        },
        {
          position: 20,
          path: ['Orders'],
          form: 'count',
          levels: undefined,
          options: {
            search: {
              kind: 'searchAnd',
              position: 44,
              left: { kind: 'term', position: 42, text: 'x' },
              right: { kind: 'term', position: 44, text: 'y' },
            },
            filter: property(53, 'a'),
          },
          written: ['$search=x y', 'filter=a'],
        },
        { position: 56, path: ['@Core.Entity'], form: 'entities', levels: undefined, options: undefined },
      ],
    },
  ],
  [
    '$expand=$value,Photo/$value',
    {
      expand: [
        { position: 0, path: [], form: 'stream', levels: undefined, options: undefined },
        { position: 7, path: ['Photo'], form: 'stream', levels: undefined, options: undefined },
      ],
    },
  ],
  [
    '$expand=Orders(@m=$this;$filter=@m/Id eq 1;$apply=aggregate(Price with sum as Total))',
    {
      expand: [
        {
          position: 0,
          path: ['Orders'],
          form: 'entities',
          levels: undefined,
          options: {
            aliases: aliases({ m: rooted(10, '$this') }),
            filter: binary(
              30,
              'eq',
              { kind: 'path', position: 24, root: undefined, alias: 'm', segments: [name(27, 'Id')] },
              int(33, 1),
            ),
            apply: [
              {
                kind: 'aggregate',
                position: 42,
                items: [
                  {
                    position: 52,
                    expression: property(52, 'Price'),
                    method: 'sum',
                    from: [],
                    alias: 'Total',
                  },
                ],
              },
            ],
          },
          written: ['@m=$this', '$filter=@m/Id eq 1', '$apply=aggregate(Price with sum as Total)'],
        },
      ],
    },
  ],
];
