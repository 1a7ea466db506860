import {
  ANYWHERE,
  type Constraints,
  isNamespace,
  matches,
  type Places,
  placesBehind,
  placesBehindKey,
  placesBehindParentheses,
  placesOfStart,
} from './abnf-roles.ts';

export type Json = { readonly [key: string]: unknown };
export type Walk = Generator<string, Places>;

/** Names as they may be written in a resource path, where keys and ordinals may be segments. */
export function* resourceSegment(segment: Json, from: Places, constraints: Constraints): Walk {
  if (segment['kind'] !== 'name') return yield* plainSegment(segment, from, constraints);
  const name = String(segment['name']);
  const places = new Set([
    ...behindKeys(segment, placesBehind(from, constraints, name)),
    ...placesBehindKey(from, constraints, name),
  ]);
  if (places.size === 0) yield name;
  return places;
}

/**
 * The kinds of resources before each $-segment of a path (ABNF: collectionNavPath, singleNavigation,
 * primitivePath).
 */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  count: ['entities', 'complexes', 'primitives'],
  each: ['entities'],
  filter: ['entities'],
  ref: ['entities', 'entity'],
  value: ['entity', 'primitive'],
};

function* plainSegment(segment: Json, from: Places, constraints: Constraints): Walk {
  if (segment['kind'] === 'annotation') {
    yield* wrongTerm(String(segment['term']), constraints);
    return ANYWHERE;
  }
  const name = String(segment['kind'] === 'system' ? segment['name'] : segment['kind']);
  const before = BEFORE[name];
  if (before !== undefined && ![...from].some((place) => before.includes(place))) yield `$${name}`;
  return behindKeys(segment, from);
}

/** Behind a key in parentheses. What a function has in its parentheses leads nowhere else. */
export function behindKeys(segment: Json, places: Places): Places {
  const first = (segment['arguments'] ?? []) as readonly { readonly name: string | undefined }[];
  const keyed = first.length > 0 ? new Set([...places, ...placesBehindParentheses(places)]) : places;
  return segment['key'] === undefined ? keyed : placesBehindParentheses(keyed);
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function* firstSegment(node: Json, first: Json, constraints: Constraints): Walk {
  const name = String(first['name']);
  if (node['root'] === '$root') {
    const places = placesOfStart(constraints, name);
    if (places.size === 0) yield name;
    return behindKeys(first, places);
  }
  const isVariable =
    node['root'] === undefined &&
    node['alias'] === undefined &&
    first['kind'] === 'name' &&
    isOwnName(constraints, name);
  return isVariable ? ANYWHERE : yield* expressionSegment(first, ANYWHERE, constraints, true);
}

const OWN_NAMES = ['lambdaVariableExpr', 'expressionAlias', 'customAggregate'];

function isOwnName(constraints: Constraints, name: string): boolean {
  return OWN_NAMES.some((rule) => matches(constraints, rule, name));
}

export function* expressionSegment(
  segment: Json,
  from: Places,
  constraints: Constraints,
  through: boolean,
): Walk {
  if (segment['kind'] === 'annotation') return yield* plainSegment(segment, from, constraints);
  if (segment['kind'] !== 'name') return from;
  const name = String(segment['name']);
  const places = placesBehind(from, constraints, name, through);
  if (places.size > 0) return behindKeys(segment, places);
  if (!isAdded(constraints, name)) yield name;
  return ANYWHERE;
}

/** Names that $apply adds to those of the model. */
function isAdded(constraints: Constraints, name: string): boolean {
  return ['expressionAlias', 'customAggregate'].some((rule) => constraints[rule]?.includes(name));
}

/** A path of names; gives what it leads to. */
export function* wrongPath(path: readonly string[], constraints: Constraints, through = true): Walk {
  let places: Places = ANYWHERE;
  for (const name of path) {
    if (name.startsWith('@')) {
      yield* wrongTerm(name.slice(1), constraints);
    } else if (name.endsWith('*')) {
      if (!isNamespace(constraints, name)) yield name;
    } else if (isAdded(constraints, name)) {
      places = ANYWHERE;
    } else if (name !== '$all') {
      places = placesBehind(places, constraints, name, through);
      if (places.size === 0) yield name;
    }
  }
  return places;
}

/** A qualified term's vocabulary must be known; an unqualified one may be of any. */
function* wrongTerm(term: string, constraints: Constraints): Generator<string> {
  const [name = ''] = term.split('#');
  if (name.includes('.') && !isNamespace(constraints, name)) yield term;
}
