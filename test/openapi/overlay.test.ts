import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type DescriptionTexts, readDescription } from '../../src/openapi/openapi-description.ts';
import { parseText } from '../../src/openapi/parse/parse-text.ts';
import { APPLIED, SELECTED, SELECTED_FROM } from './overlay.cases.ts';

const VERSION = 'openapi: 3.1.0\n';

function overlaid(document: string, overlay: string, file?: string) {
  const texts: DescriptionTexts = {
    document: `${VERSION}${document}`,
    file,
    overlay: { file: 'api.overlay.yaml', text: overlay },
  };
  return readDescription(texts);
}

function actions(written: string): string {
  return `overlay: 1.1.0\ninfo: { title: T, version: "1" }\nactions: ${written}\n`;
}

/** Why an overlay is not applied, without the words that are the same each time. */
function refusal(document: string, overlay: string, file?: string): string {
  try {
    overlaid(document, overlay, file);
  } catch (error) {
    return String(error).replace(/^Error: The overlay api\.overlay\.yaml cannot be applied: /, '');
  }
  return 'applied';
}

describe('an overlay', () => {
  it.each(APPLIED)('$name', ({ document, actions: written, result }) => {
    const before = JSON.stringify(parseText(`${VERSION}${document}`));
    const { document: after } = overlaid(document, actions(written));
    expect(JSON.stringify(after)).toBe(
      JSON.stringify({ openapi: '3.1.0', ...(result as Record<string, unknown>) }),
    );
    expect(JSON.stringify(parseText(`${VERSION}${document}`))).toBe(before);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it.each([
    ['1.0.0', 'applied'],
    ['1.0.7', 'applied'],
    ['1.1.0', 'applied'],
    [
      '1.2.0',
      /^at line 1, column 1: Its `overlay` version must be a string such as "1\.0\.0" or "1\.1\.0", not "1\.2\.0"\.$/,
    ],
    ['2.0.0', /: Its `overlay` version must be/],
  ])('of version %s is %s', (version, outcome) => {
    const text = actions('[{ target: $, update: { x: 1 } }]').replace('1.1.0', version);
    expect(refusal('a: 1', text)).toMatch(outcome);
  });

  it.each([
    ['openapi.yaml', 'applied'],
    ['./openapi.yaml', 'applied'],
    ['https://example.com/v1/openapi.yaml?raw=true', 'applied'],
    [
      'other.yaml',
      'at line 4, column 10 (/extends): It is an overlay of "other.yaml", and the document is openapi.yaml.',
    ],
    ['7', 'at line 4, column 10 (/extends): It is an overlay of 7, and the document is openapi.yaml.'],
  ])('that extends %s is for openapi.yaml or not', (target, outcome) => {
    const text = `${actions('[{ target: $, update: { x: 1 } }]')}extends: ${target}\n`;
    expect(refusal('a: 1', text, 'folder/openapi.yaml')).toBe(outcome);
  });

  it.each([
    ['hello: world', 'at line 1, column 1: It is not an OpenAPI Overlay: it has no `overlay` version.'],
    ['[]', 'at line 1, column 1: It is not an OpenAPI Overlay: it has no `overlay` version.'],
    ['overlay: 1.0', /^at line 1, .*: Its `overlay` version must be a string such as .* not 1\./],
    [
      'overlay: 1.0.0',
      'at line 1, column 1 (/actions): It has no actions: `actions` is a list of at least one.',
    ],
    ['{ overlay: "1.0.0"', /^It is neither YAML nor JSON: .* at line 1, column \d+\.$/],
    ['overlay: 1.0.0\noverlay: 1.0.0', '"overlay" appears twice in one object, again at line 2, column 1.'],
  ])('that is none is refused: %s', (text, reason) => {
    const reported = refusal('a: 1', text);
    if (typeof reason === 'string') expect(reported).toBe(reason);
    else expect(reported).toMatch(reason);
  });

  it.each([
    ['7', 'at line 3, column 11 (/actions/0): An action is an object.'],
    ['{ update: 1 }', 'at line 3, column 11 (/actions/0): The action has no `target`.'],
    [
      '{ target: $ }',
      'at line 3, column 11 (/actions/0): The action does nothing: it has no `update`, `copy` or `remove: true`.',
    ],
    [
      '{ target: $, update: {}, copy: $ }',
      'at line 3, column 11 (/actions/0): The action has both `update` and `copy`.',
    ],
    [
      '{ target: $, remove: yes }',
      'at line 3, column 32 (/actions/0/remove): remove is true or false, not "yes".',
    ],
    ['{ target: $.a.x, copy: 7 }', 'at line 3, column 34 (/actions/0/copy): copy is a JSONPath query.'],
    [
      '{ target: a, update: 1 }',
      'at line 3, column 21 (/actions/0/target): "a" is not a JSONPath query (RFC 9535): "a" is not expected at character 1.',
    ],
    [
      '{ target: $.x-y, update: 1 }',
      /: "\$\.x-y" is not a JSONPath query \(RFC 9535\): "-" is not expected at character 4; other names than words/,
    ],
    [
      '{ target: $.none, update: 1 }',
      'at line 3, column 21 (/actions/0/target): "$.none" matches nothing in the document.',
    ],
    ['{ target: $.none, remove: true }', /matches nothing in the document/],
    [
      '{ target: $, remove: true }',
      'at line 3, column 21 (/actions/0/target): The whole document cannot be removed.',
    ],
    [
      '{ target: $.a, update: 1 }',
      /^at line 3, column 34 \(\/actions\/0\/update\): 1 cannot be merged with an object at \/a: remove that first\.$/,
    ],
    [
      '{ target: $, update: { a: [1] } }',
      /\(\/actions\/0\/update\/a\): a list cannot be merged with an object at \/a: /,
    ],
    ['{ target: $.a, copy: $.none }', /: "\$\.none" matches nothing, and one value can be copied/],
    ['{ target: $.a, copy: $.* }', /: "\$\.\*" matches 2 values, and one value can be copied/],
    [
      '{ target: "$[?f(@)]", update: 1 }',
      /cannot be evaluated: there is no function "f": known are length, count/,
    ],
    [
      '{ target: "$[?count(@.*, 1) == 1]", update: 1 }',
      /cannot be evaluated: count takes 1 arguments, not 2/,
    ],
    [
      '{ target: "$[?match(@, \'(a)\\\\\\\\1\')]", update: 1 }',
      /is not a pattern that can be matched in linear time/,
    ],
  ])('has its mistakes told with their places: %s', (action, reason) => {
    const reported = refusal(
      'a: { x: 1 }',
      actions(`\n  [${action}]`).replace('actions: \n  [', 'actions: ['),
    );
    if (typeof reason === 'string') expect(reported).toBe(reason);
    else expect(reported).toMatch(reason);
  });

  it('has all of its mistakes told together', () => {
    const written =
      '[{ target: $.x, update: 1 }, { target: $, update: { b: 1 } }, { target: $.y, remove: true }]';
    expect(refusal('a: 1', actions(written))).toMatch(
      /: "\$\.x" matches nothing [^;]*; at [^;]*: "\$\.y" matches nothing [^;]*\.$/,
    );
  });
});

describe('a JSONPath query (RFC 9535)', () => {
  it.each(SELECTED)('%s selects %j', (query, pointers) => {
    const marked = actions(`[{ target: ${JSON.stringify(query)}, update: MARK }]`);
    const selecting = actions(`[{ target: ${JSON.stringify(query)}, remove: true }]`);
    const outcome = refusal(SELECTED_FROM, pointers.length === 0 ? marked : selecting);
    if (pointers.length === 0) {
      expect(outcome).toMatch(/matches nothing in the document/);
      return;
    }
    const { document } = overlaid(SELECTED_FROM, selecting);
    const expected: unknown = parse(SELECTED_FROM);
    for (const pointer of pointers.toSorted((a, b) => b.localeCompare(a))) {
      const names = pointer.split('/').slice(1);
      const parent = names.slice(0, -1).reduce((value, name) => Reflect.get(Object(value), name), expected);
      if (Array.isArray(parent)) parent.splice(Number(names.at(-1)), 1);
      else Reflect.deleteProperty(Object(parent), names.at(-1) ?? '');
    }
    expect(document).toStrictEqual({ openapi: '3.1.0', ...Object(expected) });
  });
});

describe('an overlay that would take for ever', () => {
  const wide = `paths: {${Array.from({ length: 2000 }, (_, at) => `p${at}: {a: {b: [1, 2, 3]}}`).join(', ')}}`;

  const deep = `a: ${'{"a":'.repeat(60)}1${'}'.repeat(60)}`;

  it.each([
    ['many descendants', deep, '$..*..*..*..*..*..*..*'],
    ['each value against each', wide, '$..[?$..x]'],
    ['queries in queries', wide, '$..[?@..[?@..[?@..[?$..q]]]]'],
    ['the same again and again', wide, `$.paths${'[*,*,*,*,*,*,*,*]'.repeat(12)}`],
  ])('is given up: %s', (_, document, query) => {
    const reported = refusal(document, actions(`[{ target: ${JSON.stringify(query)}, update: 1 }]`));
    expect(reported).toMatch(/^at line 3, .*: It takes too long to apply the overlay up to here\.$/);
  });

  it('is given up where a pattern would backtrack', () => {
    const text = actions(`[{ target: "$[?match(@, '(a+)+b')]", update: 1 }]`);
    expect(refusal(`x: ${'a'.repeat(5000)}`, text)).toMatch(/matches nothing/);
  });

  it('is refused where copies double what there is', () => {
    const doubling = Array.from({ length: 300 }, () => '{ target: "$.a.b", copy: "$.a" }').join(', ');
    expect(refusal('a: { b: { c: 1 } }', actions(`[${doubling}]`))).toMatch(
      /nested deeper than 256 levels|more than/,
    );
    const grown = Array.from({ length: 60 }, () => '{ target: "$.a", copy: "$.list" }').join(', ');
    const listed = actions(`[{ target: $, update: { list: [] } }, ${grown.replaceAll('$.a', '$.list')}]`);
    expect(refusal('a: { b: 1 }', listed)).toBe('applied');
    const filled = actions(`[{ target: $.list, update: [1] }, ${grown.replaceAll('$.a', '$.list')}]`);
    expect(refusal('list: [0]', filled)).toMatch(/takes too long|more than 5000000 values/);
  });

  it('is refused where it nests the document too deeply', () => {
    const deep = `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`;
    const text = actions(`[{ target: $.x, update: { y: ${deep} } }, { target: "$..[?@ == 1]", update: 2 }]`);
    expect(refusal(`x: { z: 1 }`, text)).toBe('applied');
    const deeper = actions(`[{ target: "$..a", update: { n: ${deep} } }]`);
    expect(refusal(`x: ${'{"a":'.repeat(100)}{}${'}'.repeat(100)}`, deeper)).toMatch(
      /nested deeper than 256/,
    );
  });

  it('is not mistaken for a long one', () => {
    const many = Array.from(
      { length: 2000 },
      (_, at) => `{ target: "$.paths['p${at}'].a", update: { c: ${at} } }`,
    ).join(', ');
    expect(refusal(wide, actions(`[${many}]`))).toBe('applied');
  });
});

describe('what an overlay changes', () => {
  it('is known to be written there, and the rest in the document, wherever it was', () => {
    const document = 'list: [{ n: 0 }, { n: 1 }, { n: 2 }]\na: { b: { c: 1 } }\nd: {}';
    const { placeOf } = overlaid(
      document,
      actions(
        '[{ target: "$.list[0]", remove: true }, { target: $.list, update: [{ n: 3 }] }, ' +
          '{ target: $.a, update: { b: { e: { f: 1 } } } }, { target: $.d, copy: $.a }]',
      ),
    );
    const places = [
      '',
      '/list/0/n',
      '/list/1/n',
      '/list/2/n',
      '/a/b/c',
      '/a/b/e/f',
      '/d/b/c',
      '/d/b/e/f',
      '/a/none',
    ];
    expect(places.map((pointer) => Object.values(placeOf(pointer)).join(' '))).toStrictEqual([
      'document ',
      'document /list/1/n',
      'document /list/2/n',
      'overlay /actions/1/update/0/n',
      'document /a/b/c',
      'overlay /actions/2/update/b/e/f',
      'document /a/b/c',
      'overlay /actions/2/update/b/e/f',
      'document /a/none',
    ]);
  });
});
