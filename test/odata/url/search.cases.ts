import type { SystemQueryOptions } from '../../../src/engine/tree/query-tree.ts';

/** Raw query → options. */
export const SEARCHES: readonly (readonly [string, SystemQueryOptions])[] = [
  ['$search=a%3b%3B', { search: { kind: 'term', position: 0, text: 'a;;' } }],
  [
    '$expand=Orders/$count($search=a%3Bb%3B$filter=c)',
    {
      expand: [
        {
          position: 0,
          path: ['Orders'],
          form: 'count',
          levels: undefined,
          options: {
            search: { kind: 'term', position: 22, text: 'a;b' },
            filter: {
              kind: 'path',
              position: 34,
              root: undefined,
              segments: [{ kind: 'name', position: 34, name: 'c', arguments: undefined }],
            },
          },
          written: ['$search=a;b', '$filter=c'],
        },
      ],
    },
  ],
  ['$search=blue', { search: { kind: 'term', position: 0, text: 'blue' } }],
  [
    "$search=Daniel's c%2B%2B a%3Bb 9,81",
    {
      search: {
        kind: 'searchAnd',
        position: 17,
        left: {
          kind: 'searchAnd',
          position: 13,
          left: {
            kind: 'searchAnd',
            position: 9,
            left: { kind: 'term', position: 0, text: "Daniel's" },
            right: { kind: 'term', position: 9, text: 'c++' },
          },
          right: { kind: 'term', position: 13, text: 'a;b' },
        },
        right: { kind: 'term', position: 17, text: '9,81' },
      },
    },
  ],
  [
    '$search=blue OR green AND NOT red',
    {
      search: {
        kind: 'searchOr',
        position: 5,
        left: { kind: 'term', position: 0, text: 'blue' },
        right: {
          kind: 'searchAnd',
          position: 14,
          left: { kind: 'term', position: 8, text: 'green' },
          right: { kind: 'searchNot', position: 18, operand: { kind: 'term', position: 22, text: 'red' } },
        },
      },
    },
  ],
  [
    '$search=blue green',
    {
      search: {
        kind: 'searchAnd',
        position: 5,
        left: { kind: 'term', position: 0, text: 'blue' },
        right: { kind: 'term', position: 5, text: 'green' },
      },
    },
  ],
  [
    '$search=(blue OR "light green") red',
    {
      search: {
        kind: 'searchAnd',
        position: 24,
        left: {
          kind: 'searchOr',
          position: 6,
          left: { kind: 'term', position: 1, text: 'blue' },
          right: { kind: 'term', position: 9, text: 'light green' },
        },
        right: { kind: 'term', position: 24, text: 'red' },
      },
    },
  ],
  ['$search="a \\"b\\" \\\\"', { search: { kind: 'term', position: 0, text: 'a "b" \\' } }],
  ['$search=OR', { search: { kind: 'term', position: 0, text: 'OR' } }],
  ['$search=NOT', { search: { kind: 'term', position: 0, text: 'NOT' } }],
  [
    '$search=OR AND',
    {
      search: {
        kind: 'searchAnd',
        position: 3,
        left: { kind: 'term', position: 0, text: 'OR' },
        right: { kind: 'term', position: 3, text: 'AND' },
      },
    },
  ],
  [
    '$search=AND OR NOT',
    {
      search: {
        kind: 'searchOr',
        position: 4,
        left: { kind: 'term', position: 0, text: 'AND' },
        right: { kind: 'term', position: 7, text: 'NOT' },
      },
    },
  ],
  [
    '$search=and or not',
    {
      search: {
        kind: 'searchAnd',
        position: 7,
        left: {
          kind: 'searchAnd',
          position: 4,
          left: { kind: 'term', position: 0, text: 'and' },
          right: { kind: 'term', position: 4, text: 'or' },
        },
        right: { kind: 'term', position: 7, text: 'not' },
      },
    },
  ],
  ['$search=\'"blue" gr(een\'', { search: { kind: 'term', position: 0, text: '"blue" gr(een' } }],
];
