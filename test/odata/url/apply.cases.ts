import type { SystemQueryOptions } from '../../../src/engine/tree/query-tree.ts';
import { binary, count, followed, int, name, path, property, rooted } from './trees.ts';

/** Raw query → options. */
export const TRANSFORMATIONS: readonly (readonly [string, SystemQueryOptions])[] = [
  [
    '$apply=identity/filter(a eq 1)/search(blue sky)/compute(a as B)/orderby(a desc)/top(2)/skip(1)',
    {
      apply: [
        { kind: 'identity', position: 0 },
        { kind: 'filter', position: 9, predicate: binary(18, 'eq', property(16, 'a'), int(21, 1)) },
        {
          kind: 'search',
          position: 24,
          search: {
            kind: 'searchAnd',
            position: 36,
            left: { kind: 'term', position: 31, text: 'blue' },
            right: { kind: 'term', position: 36, text: 'sky' },
          },
        },
        {
          kind: 'compute',
          position: 41,
          items: [{ position: 49, expression: property(49, 'a'), alias: 'B' }],
        },
        {
          kind: 'orderby',
          position: 57,
          items: [{ position: 65, expression: property(65, 'a'), descending: true }],
        },
        { kind: 'top', position: 73, count: 2 },
        { kind: 'skip', position: 80, count: 1 },
      ],
    },
  ],
  [
    '$apply=aggregate(Amount with SUM as Total,$count as Number,Sales/$count as Sold,Forecast,(a add b) with Custom.concat as C)',
    {
      apply: [
        {
          kind: 'aggregate',
          position: 0,
          items: [
            { position: 10, expression: property(10, 'Amount'), method: 'sum', from: [], alias: 'Total' },
            { position: 35, expression: undefined, method: undefined, from: [], alias: 'Number' },
            {
              position: 52,
              expression: path(52, name(52, 'Sales'), count(58)),
              method: undefined,
              from: [],
              alias: 'Sold',
            },
            {
              position: 73,
              expression: property(73, 'Forecast'),
              method: undefined,
              from: [],
              alias: undefined,
            },
            {
              position: 82,
              expression: binary(85, 'add', property(83, 'a'), property(89, 'b')),
              method: 'Custom.concat',
              from: [],
              alias: 'C',
            },
          ],
        },
      ],
    },
  ],
  [
    '$apply=aggregate(Amount with sum from Time,Product/Name with average from Code with max as X)',
    {
      apply: [
        {
          kind: 'aggregate',
          position: 0,
          items: [
            {
              position: 10,
              expression: property(10, 'Amount'),
              method: 'sum',
              from: [
                { property: ['Time'], method: 'average', more: [['Product', 'Name']] },
                { property: ['Code'], method: 'max' },
              ],
              alias: 'X',
            },
          ],
        },
      ],
    },
  ],
  [
    '$apply=groupby((Customer/Country,rollup(Product/Group,Product/Name),rollup(Named)),aggregate(Amount with sum as Total)/filter(Total gt 1))',
    {
      apply: [
        followed(
          {
            kind: 'groupby',
            position: 0,
            items: [
              { position: 9, rollup: false, paths: [['Customer', 'Country']] },
              {
                position: 26,
                rollup: true,
                paths: [
                  ['Product', 'Group'],
                  ['Product', 'Name'],
                ],
              },
              { position: 61, rollup: true, paths: [['Named']] },
            ],
          },
          {
            kind: 'aggregate',
            position: 76,
            items: [
              { position: 86, expression: property(86, 'Amount'), method: 'sum', from: [], alias: 'Total' },
            ],
          },
          {
            kind: 'filter',
            position: 112,
            predicate: binary(125, 'gt', property(119, 'Total'), int(128, 1)),
          },
        ),
      ],
    },
  ],
  [
    '$apply=groupby((Name))',
    {
      apply: [
        followed({
          kind: 'groupby',
          position: 0,
          items: [{ position: 9, rollup: false, paths: [['Name']] }],
        }),
      ],
    },
  ],
  [
    '$apply=concat( topcount(2,Amount), bottompercent($these/$count div 10,Amount)/identity )',
    {
      apply: [
        {
          kind: 'concat',
          position: 0,
          sequences: [
            [
              {
                kind: 'rank',
                position: 8,
                method: 'topcount',
                amount: int(17, 2),
                by: property(19, 'Amount'),
              },
            ],
            [
              {
                kind: 'rank',
                position: 28,
                method: 'bottompercent',
                amount: binary(56, 'div', rooted(42, '$these', count(49)), int(60, 10)),
                by: property(63, 'Amount'),
              },
              { kind: 'identity', position: 71 },
            ],
          ],
        },
      ],
    },
  ],
  [
    '$apply=join(Sales as Sale,filter(a))/outerjoin(Sales as Other)/nest(identity as A, top(1) as B)',
    {
      apply: [
        followed(
          { kind: 'join', position: 0, path: ['Sales'], alias: 'Sale' },
          { kind: 'filter', position: 19, predicate: property(26, 'a') },
        ),
        followed({ kind: 'outerjoin', position: 30, path: ['Sales'], alias: 'Other' }),
        {
          kind: 'nest',
          position: 56,
          items: [
            followed({ alias: 'A' }, { kind: 'identity', position: 61 }),
            followed({ alias: 'B' }, { kind: 'top', position: 76, count: 1 }),
          ],
        },
      ],
    },
  ],
  [
    '$apply=Custom.condense(Count=1)/addnested(Sales,filter(a) as B)/ancestors($root/Orgs,H,Id,identity,2,keep start)',
    {
      apply: [
        { kind: 'other', position: 0, name: 'Custom.condense' },
        {
          kind: 'addnested',
          position: 25,
          path: ['Sales'],
          items: [followed({ alias: 'B' }, { kind: 'filter', position: 41, predicate: property(48, 'a') })],
        },
        followed(
          {
            kind: 'ancestors' as const,
            position: 57,
            hierarchy: {
              position: 67,
              nodes: rooted(67, '$root', name(73, 'Orgs')),
              qualifier: 'H',
              path: ['Id'],
            },
            distance: 2,
            keepStart: true,
          },
          { kind: 'identity', position: 83 },
        ),
      ],
    },
  ],
  [
    '$apply=traverse($root/Orgs,H,Parent/Id,preorder,filter(a),Name desc)/groupby((rolluprecursive($root/Orgs,H,Id)),aggregate($count as C))',
    {
      apply: [
        {
          kind: 'traverse',
          position: 0,
          hierarchy: {
            position: 9,
            nodes: rooted(9, '$root', name(15, 'Orgs')),
            qualifier: 'H',
            path: ['Parent', 'Id'],
          },
          order: 'preorder',
          start: [{ kind: 'filter', position: 41, predicate: property(48, 'a') }],
          orderBy: [{ position: 51, expression: property(51, 'Name'), descending: true }],
        },
        followed(
          {
            kind: 'groupby',
            position: 62,
            items: [
              {
                position: 71,
                recursive: {
                  position: 87,
                  nodes: rooted(87, '$root', name(93, 'Orgs')),
                  qualifier: 'H',
                  path: ['Id'],
                },
              },
            ],
          },
          {
            kind: 'aggregate',
            position: 105,
            items: [{ position: 115, expression: undefined, method: undefined, from: [], alias: 'C' }],
          },
        ),
      ],
    },
  ],
];
