/** The names that each rule of the grammar may match, by rule. A rule that is not there matches any name. */
export type Constraints = Readonly<Record<string, readonly string[]>>;

/** The kind of resource that a path has reached. */
export type Place = 'entities' | 'entity' | 'complexes' | 'complex' | 'primitives' | 'primitive' | 'stream';

/** All that a path may have reached, because names can have several roles. Nothing leads on from an action. */
export type Places = ReadonlySet<Place | 'nothing'>;

export const ANYWHERE: Places = new Set<Place>([
  'entities',
  'entity',
  'complexes',
  'complex',
  'primitives',
  'primitive',
  'stream',
]);

const STRUCTURED = ['entity', 'complex'];
const COLLECTIONS = ['entities', 'complexes'];
const NUMBER = /^-?\d+$/;

const STARTS: readonly (readonly [string, Place | 'nothing'])[] = [
  ['entitySetName', 'entities'],
  ['singletonEntity', 'entity'],
  ['actionImport', 'nothing'],
];

const MEMBERS: readonly (readonly [string, Place])[] = [
  ['entityColNavigationProperty', 'entities'],
  ['entityNavigationProperty', 'entity'],
  ['complexColProperty', 'complexes'],
  ['complexProperty', 'complex'],
  ['primitiveColProperty', 'primitives'],
  ['primitiveKeyProperty', 'primitive'],
  ['primitiveNonKeyProperty', 'primitive'],
  ['streamProperty', 'stream'],
];

const FUNCTIONS: readonly (readonly [string, Place])[] = [
  ['entityColFunction', 'entities'],
  ['entityFunction', 'entity'],
  ['complexColFunction', 'complexes'],
  ['complexFunction', 'complex'],
  ['primitiveColFunction', 'primitives'],
  ['primitiveFunction', 'primitive'],
];

/** The grammar leaves it to the model which type matches which resource. */
const CASTS = ['entityTypeName', 'complexTypeName'];

/** Whether the rule may match the name. */
export function matches(constraints: Constraints, rule: string, name: string): boolean {
  return constraints[rule]?.includes(name) ?? true;
}

/** The kinds of resources of a path's first segment; empty for an unknown name. */
export function placesOfStart(constraints: Constraints, name: string): Places {
  const imports = FUNCTIONS.map(([rule, place]) => [`${rule}Import`, place] as const);
  return reached([...STARTS, ...imports], constraints, name);
}

/**
 * The kinds of resources of a segment: members, operations and types. With `through`, as in aggregates, also
 * of collections.
 */
export function placesBehind(from: Places, constraints: Constraints, name: string, through = false): Places {
  const local = name.slice(name.lastIndexOf('.') + 1);
  if (local !== name)
    return isNamespace(constraints, name) ? behindQualified(from, constraints, local) : NONE;
  const structured = through ? [...STRUCTURED, ...COLLECTIONS] : STRUCTURED;
  const members = structured.some((place) => from.has(place as Place))
    ? reached(MEMBERS, constraints, name)
    : NONE;
  return new Set([...members, ...behindQualified(from, constraints, name)]);
}

const NONE: Places = new Set();

/** Operations and casts: what a namespace may stand before. */
function behindQualified(from: Places, constraints: Constraints, name: string): Places {
  if ([...from].every((place) => place === 'nothing')) return NONE;
  const isCast = CASTS.some((rule) => matches(constraints, rule, name));
  return new Set([
    ...reached([...FUNCTIONS, ['action', 'nothing']], constraints, name),
    ...[...from].filter((place) => isCast && [...STRUCTURED, ...COLLECTIONS].includes(place)),
  ]);
}

function reached(
  rules: readonly (readonly [string, Place | 'nothing'])[],
  constraints: Constraints,
  name: string,
): Places {
  return new Set(rules.filter(([rule]) => matches(constraints, rule, name)).map(([, place]) => place));
}

/** Whether all parts in front of the last dot may be parts of a namespace. */
export function isNamespace(constraints: Constraints, qualified: string): boolean {
  return qualified
    .split('.')
    .slice(0, -1)
    .every((part) => matches(constraints, 'namespacePart', part));
}

/** A key that is a segment, of which there may be several, or the ordinal of an item (Part 2, 4.3.6 and 4.10). */
export function placesBehindKey(from: Places, constraints: Constraints, text: string): Places {
  const keys = constraints['keyPathLiteral']?.map(decodeURIComponent);
  const isKey = from.has('entities') && (keys?.includes(text) ?? true);
  const items = NUMBER.test(text) ? itemsOf(from) : [];
  return new Set([...(isKey ? (['entities', 'entity'] as const) : []), ...items]);
}

function itemsOf(from: Places): readonly Place[] {
  return [
    ...(from.has('complexes') ? (['complex'] as const) : []),
    ...(from.has('primitives') ? (['primitive'] as const) : []),
  ];
}

/** The kind of resource after a key in parentheses. */
export function placesBehindParentheses(from: Places): Places {
  return from.has('entities') ? new Set<Place>(['entity']) : NONE;
}
