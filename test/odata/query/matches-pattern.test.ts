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

/** Among them are letters with three cases, and those whose upper case is another letter's, or two letters. */
const LETTERS = [...'aAkKsSzZ_[9', '\u212a', '\u017f', ...'ßẞµμΜσςΣıİiIéÉǅǆ'];
const letter = fc.constantFrom(...LETTERS.filter((each) => each !== '['));
const spelled = fc.oneof(
  letter,
  letter.map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`),
  fc.constantFrom('\\x4b', '\\[', '\\n'),
);
const range = fc
  .tuple(letter, letter)
  .map((ends) => ends.toSorted((one, other) => one.charCodeAt(0) - other.charCodeAt(0)).join('-'));
const inClass = fc.oneof(spelled, range, fc.constantFrom('\\d', '\\D', '\\b', '\\s', '\\S', '\\]', '^'));
const caseClass = fc
  .tuple(fc.constantFrom('', '^'), fc.array(inClass, { maxLength: 3 }))
  .map(([negation, parts]) => `[${negation}${parts.join('')}]`);
const casePiece = fc.oneof(
  spelled,
  caseClass,
  fc.constantFrom('.', '\\d', '\\S', 'a{2}', '|', '(?:K)', '(?<ab>s)?', '(?i:z)'),
);
const casePattern = fc
  .uniqueArray(casePiece, { minLength: 1, maxLength: 4 })
  .map((pieces) => pieces.join(''))
  .filter((source) => {
    try {
      return new RegExp(source, 'iu') !== undefined;
    } catch {
      return false;
    }
  });
const caseText = fc.array(fc.constantFrom(...LETTERS, '\n'), { maxLength: 4 }).map((parts) => parts.join(''));

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

  it('finds it in any case with the flag i (4.02)', () => {
    fc.assert(
      fc.property(casePattern, caseText, (wanted, where) => {
        const found = resultOf(`matchesPattern('${where}','${wanted}','i')`);
        expect([wanted, found]).toEqual([wanted, new RegExp(wanted, 'iu').test(where)]);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['\\101', '[\\101]', '(a)\\1', '(?<n>a)\\k<n>', 'a(?=b)', '(?<!a)b', 'a{1001}'])(
    'refuses what cannot be matched in linear time, or be written so: %s',
    (wanted) => {
      expect(() => resultOf(`matchesPattern('a','${wanted}')`)).toThrow('is not implemented');
    },
  );

  it.each([
    ['\\s', '\u00a0', true],
    ['\\S', '\ufeff', false],
    ['.', '\u2028', false],
    ['^.$', '😀', true],
    ['\\z\\A', 'zA', true],
    ['\\cJ', '\n', true],
    ['[[:a]', ':', true],
    ['[]', 'a', false],
    ['[^]', '\n', true],
    ['a{,3}', 'a{,3}', true],
    ['\\Qa\\E', 'QaE', true],
  ])('means what it means in ECMAScript: %s', (wanted, where, expected) => {
    expect(resultOf(`matchesPattern('${where}','${wanted}')`)).toBe(expected);
  });

  it('is refused where it may take long', () => {
    const long = 'a'.repeat(7_000);
    expect(() => resultOf(`matchesPattern('${long}','(?:a|b|ab){90}c')`)).toThrow('QUERY_MATCH_STEPS');
  });
});
