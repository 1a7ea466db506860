import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseText } from '../../src/openapi/parse/parse-text.ts';

/** Texts that YAML parsers interpret differently: YAML 1.2, 10.3.2, defines plain scalars. */
const TEXTS = [
  'a: 0o17\nb: 0x1F\nc: 017\nd: 1_000\ne: 1e3\nf: .5\ng: +1\nh: 0b11\ni: 1.\nj: 1.0\nk: 00\nl: 12345678901234567890',
  'a: yes\nb: on\nc: True\nd: TRUE\ne: ~\nf: Null\ng:\nh: null',
  'a: 2001-01-01\nb: 12:30:45\nc: =\nd: <<\ne: x:y\nf: http://x',
  "a: |\n  x\n   y\n\n  z\nb: >-\n  f\n  g\n\n  h\nc: |2\n    x\n   y\nd: 'it''s'\ne: plain\n  more",
  'a: "A\\u00e9\\n\\\n   b"\nb: "\\ud83d\\ude00"\nc: "\\/"',
  'a: {b: [1, 2, {c: d}], e: }\nb: {a, b: 1}\nc: [a, b,]',
  'a:\n- b\n- c\nd:\n  - 2\n  -\n    - e: f\n      g: h',
  '__proto__: 1\nconstructor: 2\nhasOwnProperty: 3',
  '200: x\n1.0: y\n0x10: z\n/p/{id}: w\n"null": v',
  '~: b\ntrue: c',
  'a: b # c\n# d\ne: f#g\nh: #i\n  j',
  '---\na: 1\n...\n',
  '? a\n: b',
  'a: &x { b: 1 }\nc: *x',
  'a: !!str 5',
  '%YAML 1.2\n---\na: 1',
  '\ufeffa: 1',
];

describe('a text in YAML', () => {
  it.each(TEXTS)('is what YAML 1.2 says it is: %j', (text) => {
    expect(JSON.stringify(parseText(text))).toBe(JSON.stringify(parse(text)));
  });
});
