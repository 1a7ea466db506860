import pluralize from 'pluralize';

/** CSDL 4.01, 15.2 Simple Identifier. */
const SIMPLE_IDENTIFIER = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u;

/**
 * Whether a model may use the name: a simple identifier (CSDL 4.01, 15.2) that is not a member of
 * Object.prototype, because rows are plain objects.
 */
export function isModelName(name: string): boolean {
  return SIMPLE_IDENTIFIER.test(name) && !(name in Object.prototype);
}

/**
 * Whether an entity set or a singleton may have the name. Sets are looked up in maps, so only `__proto__` is
 * excluded, which JSON cannot have as a member.
 */
export function isResourceName(name: string): boolean {
  return SIMPLE_IDENTIFIER.test(name) && name !== '__proto__';
}

/** The most common style, which is split faster. */
const LOWER_CASE = /^[a-z]+(?:_[a-z]+)*$/;

/** Maximum number of cached names. */
const MOST_NAMES = 20_000;
const LONGEST_NAME = 200;

/** Caches results by name, because documents repeat the same names. */
function remembering<Found>(find: (name: string) => Found): (name: string) => Found {
  const known = new Map<string, { readonly found: Found }>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before.found;
    const found = find(name);
    if (known.size >= MOST_NAMES) known.clear();
    if (name.length <= LONGEST_NAME) known.set(name, { found });
    return found;
  };
}

/** The words of a name in any style: `userId`, `user_id`, `user-id` and `UserID` have two each. */
export const words: (name: string) => readonly string[] = remembering((name) => {
  if (LOWER_CASE.test(name)) return name.split('_');
  return name
    .normalize('NFC')
    .replace(/(\p{Ll}|\p{Nd})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[^\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}]+/u)
    .filter((word) => word !== '');
});

/** The same text for names that differ only in their style. */
export const foldedName: (name: string) => string = remembering((name) => words(name).join('').toLowerCase());

/**
 * The name for the model: each word with an upper-case first letter, the rest unchanged. Undefined if no
 * usable character is left.
 */
export const pascalCase: (name: string) => string | undefined = remembering((name) => {
  const joined = words(name).map(capitalize).join('');
  const identifier = /^[\p{L}\p{Nl}]/u.test(joined) ? joined : `_${joined}`;
  const short = [...identifier].slice(0, 120).join('');
  return joined !== '' && isModelName(short) ? short : undefined;
});

function capitalize(word: string): string {
  const [first = '', ...rest] = word;
  const upper = first.toUpperCase();
  return [[...upper].length === 1 ? upper : first, ...rest].join('');
}

pluralize.addIrregularRule('cookie', 'cookies');
pluralize.addIrregularRule('cache', 'caches');

/** The name with its last word in the singular: `line item` for `line_items`. */
export function singularOf(name: string): string {
  const all = words(name);
  return [...all.slice(0, -1), ...all.slice(-1).map((word) => pluralize.singular(word))].join(' ');
}

/** The label with its last word in the plural: `Line Items` for `Line Item`. */
export function pluralOf(label: string): string {
  const end = label.search(/\S+$/);
  return end < 0 ? label : label.slice(0, end) + pluralize.plural(label.slice(end));
}

/** The words of a name: `User Id` for `UserId`. */
export function labelOf(name: string): string {
  return words(name).map(capitalize).join(' ');
}

/** The common form of the names of one entity: singular, without style and accents. */
export const foldedNoun: (name: string) => string = remembering((name) =>
  foldedName(singularOf(name.normalize('NFD').replace(/\p{M}/gu, ''))),
);

/** The first free name; if all are taken, one of them with a number. */
export function freeChoice(
  [wanted, ...others]: readonly [string, ...string[]],
  taken: { has(name: string): boolean },
): string {
  return [wanted, ...others].find((name) => !taken.has(name)) ?? freeName(wanted, taken);
}

/** Tokens of a JSON pointer that belong to the structure of documents. */
const STRUCTURAL =
  /^(?:paths|components|schemas|responses|requestBodies|content|schema|properties|items|allOf|oneOf|anyOf|\$defs|additionalProperties|default|\d+|application~1.*|\*~1\*)$/;

/** A name made of the tokens of a JSON pointer. */
export function pointerName(pointer: string): string | undefined {
  const tokens = pointer.split('/').filter((token) => !STRUCTURAL.test(token));
  return pascalCase(tokens.map(plainToken).join(' '));
}

function plainToken(token: string): string {
  return token
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
    .replaceAll(/\{[^}]*\}/g, ' ');
}

const ORDINALS = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
];

/**
 * A name made of a JSON pointer including structural tokens, for positions that only those distinguish:
 * `LogEntryItemSecond`.
 */
export function placeName(pointer: string): string | undefined {
  const tokens = pointer.split('/').map((token) => {
    if (token === 'items') return 'item';
    if (/^\d$/.test(token)) return ORDINALS[Number(token)] ?? token;
    return STRUCTURAL.test(token) ? '' : plainToken(token.replaceAll(/\{([^}]*)\}/g, 'by $1'));
  });
  return pascalCase(tokens.join(' '));
}

/** The name, or the first free one of `name_2`, `name_3`, …. */
export function freeName(name: string, taken: { has(name: string): boolean }): string {
  if (!taken.has(name)) return name;
  for (let count = 2; ; count += 1) {
    const candidate = `${name}_${count}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** A free name similar to the given one, which is then taken. */
export function claimName(wanted: string, taken: Set<string>): string {
  const name = freeName(wanted, taken);
  taken.add(name);
  return name;
}

/** The name that was probably meant; undefined if the name is one of them or similar to none of them. */
export function nearName(name: string, names: Iterable<string>): string | undefined {
  const all = [...names];
  return all.includes(name) ? undefined : all.find((each) => isNear(name, each));
}

/** Whether two words differ only in case, or in one missing, added, changed or swapped letter. */
export function isNear(a: string, b: string): boolean {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()];
  if (x === y) return true;
  if (Math.abs(x.length - y.length) > 1) return false;
  const start = [...x].findIndex((letter, index) => letter !== y[index]);
  const from = start === -1 ? x.length : start;
  const rests = [
    [x.slice(from + 1), y.slice(from + 1)],
    [x.slice(from + 1), y.slice(from)],
    [x.slice(from), y.slice(from + 1)],
  ];
  const isSwapped =
    x[from] === y[from + 1] && x[from + 1] === y[from] && x.slice(from + 2) === y.slice(from + 2);
  return isSwapped || rests.some(([left, right]) => left === right);
}
