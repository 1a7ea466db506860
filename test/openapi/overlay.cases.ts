/** A document and the actions of an overlay as YAML, and the result as JSON. */
export interface OverlayCase {
  readonly name: string;
  readonly document: string;
  readonly actions: string;
  readonly result: unknown;
}

/** Of the Overlay Specification 1.1.0, section 4.4.3, and its examples. */
export const APPLIED: readonly OverlayCase[] = [
  {
    name: 'merges objects and replaces scalars',
    document: 'info: { title: A, contact: { name: N } }',
    actions: '[{ target: $.info, update: { title: B, contact: { url: U }, version: "2" } }]',
    result: { info: { title: 'B', contact: { name: 'N', url: 'U' }, version: '2' } },
  },
  {
    name: 'merges with the root',
    document: 'info: { title: A }',
    actions: '[{ target: $, update: { info: { version: "2" }, tags: [{ name: x }] } }]',
    result: { info: { title: 'A', version: '2' }, tags: [{ name: 'x' }] },
  },
  {
    name: 'appends an object to a list',
    document: 'tags: [{ name: a }]',
    actions: '[{ target: $.tags, update: { name: b } }]',
    result: { tags: [{ name: 'a' }, { name: 'b' }] },
  },
  {
    name: 'concatenates lists, also within what is merged',
    document: 'tags: [a]\nservers: [{ url: u, x: [1] }]',
    actions: '[{ target: $.tags, update: [b, c] }, { target: "$.servers[0]", update: { x: [2] } }]',
    result: { tags: ['a', 'b', 'c'], servers: [{ url: 'u', x: [1, 2] }] },
  },
  {
    name: 'replaces scalars that are selected themselves',
    document: 'info: { title: A, x: null }',
    actions: '[{ target: $.info.title, update: B }, { target: $.info.x, update: 7 }]',
    result: { info: { title: 'B', x: 7 } },
  },
  {
    name: 'does the same to each of the targets, which do not share it',
    document: 'paths: { /a: { get: {} }, /b: { get: {} } }',
    actions:
      '[{ target: $.paths.*.get, update: { x: { y: 1 } } }, { target: "$.paths[\'/a\'].get.x", update: { y: 2 } }]',
    result: { paths: { '/a': { get: { x: { y: 2 } } }, '/b': { get: { x: { y: 1 } } } } },
  },
  {
    name: 'removes members and items, each where it was found',
    document: 'a: { b: 1, c: 2 }\nlist: [{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }]',
    actions: '[{ target: $.a.b, remove: true }, { target: "$.list[?@.n == 1 || @.n == 2]", remove: true }]',
    result: { a: { c: 2 }, list: [{ n: 0 }, { n: 3 }] },
  },
  {
    name: 'removes what lies within what is removed',
    document: 'a: { x: 1, b: { x: 2 } }\nc: 3',
    actions: '[{ target: "$..[?@.x || @ == 2]", remove: true }]',
    result: { c: 3 },
  },
  {
    name: 'removes before it adds again',
    document: 'servers: [{ url: a }]',
    actions: '[{ target: $.servers, remove: true }, { target: $, update: { servers: [{ url: b }] } }]',
    result: { servers: [{ url: 'b' }] },
  },
  {
    name: 'lets remove win over an update',
    document: 'a: { b: 1 }\nc: 2',
    actions: '[{ target: $.a, update: { d: 1 }, remove: true }]',
    result: { c: 2 },
  },
  {
    name: 'copies and moves (Overlay 1.1)',
    document: 'paths: { /items: { get: { x: 1 } }, /some: {} }',
    actions:
      '[{ target: "$.paths[\'/some\']", copy: "$.paths[\'/items\']" }, { target: "$.paths[\'/items\']", remove: true }]',
    result: { paths: { '/some': { get: { x: 1 } } } },
  },
  {
    name: 'copies into what the copy is part of',
    document: 'a: { b: {} }',
    actions: '[{ target: $.a.b, copy: $.a }]',
    result: { a: { b: { b: {} } } },
  },
  {
    name: 'changes one place of what an alias puts at several',
    document: 'a: &x { y: 1 }\nb: *x',
    actions: '[{ target: $.b, update: { y: 2 } }]',
    result: { a: { y: 1 }, b: { y: 2 } },
  },
  {
    name: 'takes names for names, whatever they are called',
    document: 'a: {}',
    actions: '[{ target: $.a, update: { __proto__: { polluted: true }, constructor: { x: 1 } } }]',
    result: JSON.parse('{ "a": { "__proto__": { "polluted": true }, "constructor": { "x": 1 } } }'),
  },
  {
    name: 'merges with members of any name',
    document: 'a: { __proto__: { x: 1 }, toString: { x: 1 } }',
    actions: '[{ target: $.a, update: { __proto__: { y: 2 }, toString: { y: 2 } } }]',
    result: JSON.parse('{ "a": { "__proto__": { "x": 1, "y": 2 }, "toString": { "x": 1, "y": 2 } } }'),
  },
];

/**
 * The results of JSONPath queries on `store`-like documents: query and JSON pointers (RFC 9535, sections 2.3
 * to 2.5).
 */
export const SELECTED: readonly (readonly [query: string, pointers: readonly string[]])[] = [
  ["$.o['j j']", ['/o/j j']],
  ["$.o['j j']['k.k']", ['/o/j j/k.k']],
  ['$.o["j j"]["k.k"]', ['/o/j j/k.k']],
  ["$['\\u006f'].a", ['/o/a']],
  ['$.list[*]', ['/list/0', '/list/1', '/list/2', '/list/3', '/list/4', '/list/5', '/list/6']],
  ['$.list[1]', ['/list/1']],
  ['$.list[-2]', ['/list/5']],
  ['$.list[-8]', []],
  ['$.list[1:3]', ['/list/1', '/list/2']],
  ['$.list[5:]', ['/list/5', '/list/6']],
  ['$.list[1:5:2]', ['/list/1', '/list/3']],
  ['$.list[5:1:-2]', ['/list/5', '/list/3']],
  ['$.list[::-1]', ['/list/6', '/list/5', '/list/4', '/list/3', '/list/2', '/list/1', '/list/0']],
  ['$.list[0:4:0]', []],
  ['$.list[-9:2]', ['/list/0', '/list/1']],
  ['$.list[0, 3]', ['/list/0', '/list/3']],
  ['$.list[0, 0]', ['/list/0']],
  ["$.list[?@.b == 'kilo']", ['/list/5']],
  ['$.list[?@ > 3.5]', ['/list/1', '/list/2']],
  ['$.list[?@.b]', ['/list/4', '/list/5']],
  ['$.list[?!@.b && @ != 3]', ['/list/1', '/list/2', '/list/6']],
  ['$.list[?@ == $.o.a]', ['/list/0', '/list/3']],
  [
    '$.list[?@.absent1 == @.absent2]',
    ['/list/0', '/list/1', '/list/2', '/list/3', '/list/4', '/list/5', '/list/6'],
  ],
  ['$.list[?@.b < "k"]', ['/list/4']],
  ['$.list[?@ <= 3 || @ >= 5]', ['/list/0', '/list/1', '/list/3']],
  ["$.list[?match(@.b, 'k.*')]", ['/list/5']],
  ["$.list[?search(@.b, '[jo]$')]", ['/list/4', '/list/5']],
  ['$.list[?length(@.b) == 1]', ['/list/4']],
  ['$.list[?length(@) == 1]', ['/list/4', '/list/5']],
  ['$.list[?count(@.*) == 1]', ['/list/4', '/list/5']],
  ["$.list[?value(@.*) == 'j']", ['/list/4']],
  ['$..b', ['/list/4/b', '/list/5/b']],
  ['$..[0]', ['/list/0']],
  ["$.o..['k.k', 'a']", ['/o/a', '/o/j j/k.k']],
];

export const SELECTED_FROM = `
o: { a: 3, j j: { k.k: 3 } }
list: [3, 5, 4, 3, { b: j }, { b: kilo }, null]
`;
