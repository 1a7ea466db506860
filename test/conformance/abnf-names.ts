import type { RequestTarget } from '../../src/odata/url/request-target.ts';
import { wrongAggregates, wrongCollection, wrongGroupings } from './abnf-apply-names.ts';
import { wrongFunction, wrongMembers, wrongType } from './abnf-model-names.ts';
import { type Constraints, matches, placesOfStart } from './abnf-roles.ts';
import {
  behindKeys,
  expressionSegment,
  firstSegment,
  type Json,
  listOf,
  resourceSegment,
  wrongPath,
} from './abnf-segments.ts';

/**
 * Returns a name that stands where none of its roles is allowed, which the grammar cannot express without a
 * model.
 *
 * The standard's grammar has names of a model as rules (`entitySetName`); the gateway's trees have names.
 */
export function findWrongName(
  { path, options }: RequestTarget,
  constraints: Constraints,
): string | undefined {
  return [...wrongInPath(path, constraints), ...wrongNames(options, constraints, false)][0];
}

function* wrongInPath(path: RequestTarget['path'], constraints: Constraints): Generator<string> {
  if ('typeName' in path && path.typeName !== undefined) yield* wrongType(path.typeName, constraints);
  if (path.kind === 'crossjoin') {
    yield* path.entitySets.filter((name) => !matches(constraints, 'entitySetName', name));
  }
  if (path.kind !== 'resource') return;
  const [first, ...rest] = listOf(path.segments);
  let places = placesOfStart(constraints, String(first?.['name']));
  if (places.size === 0) yield String(first?.['name']);
  places = behindKeys(first ?? {}, places);
  for (const segment of rest) places = yield* resourceSegment(segment, places, constraints);
  yield* wrongNames(path.segments, constraints, false);
}

/** All of a tree; `through` collections in the operand of an aggregate. */
function* wrongNames(node: unknown, constraints: Constraints, through: boolean): Generator<string> {
  if (node instanceof Map) {
    yield* wrongNames([...node.values()], constraints, through);
  } else if (Array.isArray(node)) {
    for (const item of node) yield* wrongNames(item, constraints, through);
  } else if (typeof node === 'object' && node !== null) {
    yield* wrongInNode(node as Json, constraints, through);
    for (const [key, value] of Object.entries(node)) {
      yield* wrongNames(value, constraints, key === 'expression' && 'method' in node ? true : through);
    }
  }
}

function* wrongInNode(node: Json, constraints: Constraints, through: boolean): Generator<string> {
  switch (node['kind']) {
    case 'path':
      return yield* wrongInExpression(node, constraints, through);
    case 'type':
      return yield* wrongType(String(node['name']), constraints);
    case 'literal':
      return yield* wrongMembers(node, constraints);
    case 'other':
      return yield* wrongFunction(String(node['name']), constraints);
    case 'groupby':
      return yield* wrongGroupings(node, constraints);
    case 'aggregate':
      return yield* wrongAggregates(node, constraints);
    case 'join':
    case 'outerjoin':
    case 'addnested':
      return yield* wrongCollection(node['path'] as readonly string[], constraints);
  }
  yield* wrongInOptions(node, constraints);
}

/** `$select`, `$expand` and `$compute`, whose items have no kind. */
function* wrongInOptions(node: Json, constraints: Constraints): Generator<string> {
  for (const item of [...listOf(node['select']), ...listOf(node['expand'])]) {
    yield* wrongPath(item['path'] as readonly string[], constraints);
  }
  const custom = node['custom'] instanceof Map ? [...node['custom'].keys()] : [];
  yield* custom.filter(
    (name) => !['customName', 'parameterName'].some((rule) => matches(constraints, rule, name)),
  );
}

/** A path in an expression. What stands first may be a lambda variable or an alias of $apply. */
function* wrongInExpression(node: Json, constraints: Constraints, through: boolean): Generator<string> {
  const [first, ...rest] = node['segments'] as readonly Json[];
  if (first === undefined) return;
  let places = yield* firstSegment(node, first, constraints);
  for (const segment of rest) places = yield* expressionSegment(segment, places, constraints, through);
}
