import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resultOf } from './sample.ts';

const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\u0061', '\\.', 'c');
const count = fc
  .tuple(fc.nat(40), fc.option(fc.nat(20)), fc.boolean())
  .map(([least, more, open]) =>
    open ? `{${least},}` : more === null ? `{${least}}` : `{${least},${least + more}}`,
  );
const term = fc.tuple(atom, fc.option(count, { nil: '' }), fc.constantFrom('', '?', '|')).map((parts) => {
  const [character, times, end] = parts;
  return character + times + (end === '?' && times === '' ? '' : end);
});
const pattern = fc
  .tuple(fc.constantFrom('', '^'), fc.array(term, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '$'))
  .map(([start, terms, end]) => start + terms.join('') + end);
const text = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c', '.'), fc.nat(45)), { maxLength: 3 })
  .map((runs) => runs.map(([character, times]) => character.repeat(times)).join(''));

describe('Part 2, 5.1.1.7.1: matchesPattern', () => {
  it('finds what an ECMAScript regular expression finds, whatever it counts to', () => {
    fc.assert(
      fc.property(pattern, text, (wanted, where) => {
        const found = resultOf(`matchesPattern('${where}','${wanted}')`);
        expect(found).toBe(new RegExp(wanted).test(where));
      }),
      { numRuns: 500 },
    );
  });
});
