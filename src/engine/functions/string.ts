import type { Evaluate } from '../scope/bound-tree.ts';
import { compilePattern, compilePatterns } from './compile-pattern.ts';
import { type CallSite, type Signature, signature } from './signature.ts';

const STRING = 'Edm.String';
const TWO = [STRING, STRING] as const;
const NO_FLAGS = { kind: 'constant', value: '' } as const;

/** String functions (5.1.1.5 to 5.1.1.7). Case matters; characters are UTF-16 code units. */
export const STRING_FUNCTIONS: readonly (readonly [string, readonly Signature[]])[] = [
  ['concat', [{ parameters: TWO, result: STRING, prepare: prepareConcat }]],
  ['contains', [signature(TWO, 'Edm.Boolean', (text: string, part: string) => text.includes(part))]],
  ['endswith', [signature(TWO, 'Edm.Boolean', (text: string, end: string) => text.endsWith(end))]],
  ['startswith', [signature(TWO, 'Edm.Boolean', (text: string, start: string) => text.startsWith(start))]],
  ['indexof', [signature(TWO, 'Edm.Int32', (text: string, part: string) => text.indexOf(part))]],
  ['length', [signature([STRING], 'Edm.Int32', (text: string) => text.length)]],
  ['tolower', [signature([STRING], STRING, (text: string) => text.toLowerCase())]],
  ['toupper', [signature([STRING], STRING, (text: string) => text.toUpperCase())]],
  ['trim', [signature([STRING], STRING, (text: string) => text.trim())]],
  [
    'substring',
    [
      { parameters: [STRING, 'Edm.Int32'], result: STRING, prepare: () => substringFrom },
      { parameters: [STRING, 'Edm.Int32', 'Edm.Int32'], result: STRING, prepare: prepareSubstring },
    ],
  ],
  [
    'matchespattern',
    [
      { parameters: TWO, result: 'Edm.Boolean', prepare: prepareMatch },
      { parameters: [...TWO, STRING], result: 'Edm.Boolean', prepare: prepareMatch },
    ],
  ],
];

/** What is put together is charged: used again and again, it doubles each time. */
function prepareConcat({ current }: CallSite): Evaluate {
  return (first: string, second: string) => {
    current.budget.chargeText(first.length + second.length);
    return first + second;
  };
}

/** A negative start counts from the end (Part 1, 13.2.1, item 9k). */
function startIn(text: string, start: number): number {
  return start < 0 ? Math.max(0, text.length + start) : start;
}

function substringFrom(text: string, start: number): string {
  return text.slice(startIn(text, start));
}

function prepareSubstring({ fail }: CallSite): Evaluate {
  return (text: string, start: number, length: number) => {
    const first = startIn(text, start);
    return length < 0
      ? fail(`'substring' expects a length that is not negative, found ${length}`)
      : text.slice(first, first + length);
  };
}

function prepareMatch(site: CallSite): Evaluate {
  const [, pattern, flags = NO_FLAGS] = site.arguments;
  if (pattern?.kind === 'constant' && flags.kind === 'constant') {
    const matches = compilePattern(String(pattern.value), String(flags.value ?? ''), site);
    return (text: string) => matches(text);
  }
  const matches = compilePatterns(site);
  return flags === NO_FLAGS ? (text: string, found: string) => matches(text, found, '') : matches;
}
