import { GatewayError } from '../../contract/gateway-error.ts';
import type { Value } from '../../contract/row.ts';
import { REQUEST_LIMITS } from '../../core/request-limits.ts';
import type {
  Expression,
  PathSegment,
  SearchExpression,
  SystemQueryOptions,
} from '../../engine/tree/query-tree.ts';
import { type ModelType, qualifiedName } from '../../engine/typing/expression-type.ts';
import type { EntityType, EnumerationType, TypeUse } from '../../model/edm.ts';
import type { PrimitiveType } from '../../model/type-use.ts';
import type { Input, SelectionDependencies } from '../context/graphql-context.ts';
import { derivedKinds, type ShownModel } from '../context/schema-names.ts';
import {
  binary,
  call,
  FALSE,
  isOf,
  joined,
  lambda,
  list,
  literal,
  NULL,
  nameSegment,
  not,
  path,
  TRUE,
} from './expressions.ts';

/** The limits of a `where`, the same as for `$filter` in a URL. */
interface ConditionLimits {
  readonly nodes: number;
  readonly literals: number;
  readonly lambdaDepth: number;
}

/** State of one `where`: model, limits, and counts so far. */
interface Conditions {
  readonly shown: ShownModel;
  readonly limits: ConditionLimits;
  nodes: number;
  literals: number;
}

/** The path of a condition, and the number of collections around it. */
interface ConditionPath {
  readonly segments: readonly PathSegment[];
  /** The segments before a cast to a derived type. */
  readonly uncast?: readonly PathSegment[];
  readonly lambdas: number;
}

/** The expression for `where`, if any. */
function whereExpression(
  shown: ShownModel,
  limits: ConditionLimits,
  type: ModelType,
  where: unknown,
): Expression | undefined {
  if (where === undefined || where === null) return undefined;
  const conditions: Conditions = { shown, limits, nodes: 0, literals: 0 };
  return allOf(conditions, type, where as Input, { segments: [], lambdas: 0 });
}

function allOf(
  conditions: Conditions,
  type: ModelType,
  where: Input,
  place: ConditionPath,
): Expression | undefined {
  const operands = Object.entries(where).flatMap(([name, operand]) => {
    const found = conditionOf(conditions, type, name, operand, place);
    return found === undefined ? [] : [found];
  });
  return joined('and', operands);
}

function conditionOf(
  conditions: Conditions,
  type: ModelType,
  name: string,
  operand: unknown,
  place: ConditionPath,
): Expression | undefined {
  count(conditions, 'nodes');
  if (name === 'and' || name === 'or') return anyOf(conditions, type, name, operand, place);
  if (name === 'not') {
    const found = operand === null ? undefined : allOf(conditions, type, operand as Input, place);
    return found && not(found);
  }
  if (name === 'ofType') return ofType(conditions, type, operand, place);
  const member = conditions.shown.names.membersOf(type).get(name);
  if (member?.kind === 'related') {
    const { navigation } = member;
    const use = { type: navigation.entityType, collection: navigation.collection };
    return ofUse(conditions, use, operand, behind(place, navigation.name));
  }
  if (member?.kind !== 'property') return undefined;
  return ofUse(conditions, member.property, operand, behind(place, member.property.name));
}

/** A condition on values of a derived type; false for others. */
function ofType(
  conditions: Conditions,
  declared: ModelType,
  operand: unknown,
  { segments, uncast = segments, lambdas }: ConditionPath,
): Expression | undefined {
  const kinds = derivedKinds(conditions.shown, declared);
  const operands = Object.entries((operand ?? {}) as Input).flatMap(([name, condition]) => {
    const type = kinds.get(name);
    if (type === undefined) return [];
    count(conditions, 'nodes');
    const cast = qualifiedName(type);
    const within = { segments: [...uncast, nameSegment(cast)], uncast, lambdas };
    const found = allOf(conditions, type, (condition ?? {}) as Input, within);
    return [isOf(uncast, cast), ...(found === undefined ? [] : [found])];
  });
  return joined('and', operands);
}

/** `and` of no conditions is true, `or: []` is false; null is ignored. */
function anyOf(
  conditions: Conditions,
  type: ModelType,
  operator: 'and' | 'or',
  operand: unknown,
  place: ConditionPath,
): Expression | undefined {
  if (operand === null) return undefined;
  const items = (operand as readonly Input[]).map((item) => {
    count(conditions, 'nodes');
    return allOf(conditions, type, item, place) ?? TRUE;
  });
  return joined(operator, items) ?? (operator === 'or' ? FALSE : TRUE);
}

type Use = Pick<TypeUse, 'type' | 'collection'>;

function ofUse(
  conditions: Conditions,
  use: Use,
  operand: unknown,
  place: ConditionPath,
): Expression | undefined {
  if (use.collection) return ofCollection(conditions, use, (operand ?? {}) as Input, place);
  if (operand === null) return binary('eq', path(place.segments), NULL);
  if (use.type.kind === 'primitive' || use.type.kind === 'enumeration') {
    return ofValue(conditions, use.type, operand as Input, place);
  }
  return allOf(conditions, use.type, operand as Input, place);
}

/** `some`, `all`, `none` and `any` (Part 2, 5.1.1.13). */
function ofCollection(
  conditions: Conditions,
  use: Use,
  operand: Input,
  place: ConditionPath,
): Expression | undefined {
  const lambdas = place.lambdas + 1;
  if (lambdas > conditions.limits.lambdaDepth) throw beyond('lambdaDepth', conditions.limits.lambdaDepth);
  const variable = `item${lambdas}`;
  const within = { segments: [nameSegment(variable)], lambdas };
  const test = (operator: 'any' | 'all', condition: unknown): Expression => {
    const predicate = ofUse(conditions, { ...use, collection: false }, condition, within) ?? TRUE;
    return path([...place.segments, lambda(operator, variable, predicate)]);
  };
  const given = Object.entries(operand).filter(([, condition]) => condition !== null);
  const operands = given.map(([name, condition]) => {
    count(conditions, 'nodes');
    if (name === 'some') return test('any', condition);
    if (name === 'all') return test('all', condition);
    if (name === 'none') return not(test('any', condition));
    const hasAny = path([...place.segments, lambda('any')]);
    return condition === false ? not(hasAny) : hasAny;
  });
  return joined('and', operands);
}

const COMPARISONS = { eq: 'eq', neq: 'ne', gt: 'gt', gte: 'ge', lt: 'lt', lte: 'le' } as const;
const TEXT_TESTS = {
  contains: 'contains',
  startsWith: 'startswith',
  endsWith: 'endswith',
  matches: 'matchespattern',
} as const;

/** The conditions on one value. The operators are those of `$filter`, negated with a leading `n`. */
function ofValue(
  conditions: Conditions,
  type: PrimitiveType | EnumerationType,
  { caseInsensitive, ...tests }: Input,
  place: ConditionPath,
): Expression | undefined {
  const fold = (operand: Expression): Expression =>
    caseInsensitive === true && operand !== NULL ? call('tolower', operand) : operand;
  const value = (given: unknown): Expression => {
    count(conditions, 'literals');
    return fold(literal(type.kind === 'enumeration' ? 'Edm.String' : type.name, (given ?? null) as Value));
  };
  const left = fold(path(place.segments));
  const operands = Object.entries(tests).map(([name, given]) => {
    count(conditions, 'nodes');
    const isEquality = type.kind === 'enumeration' && type.flags && EQUALITIES.has(name);
    return isEquality ? flagsTest(type, name, given, left, value) : testOf(name, given, left, value);
  });
  return joined('and', operands);
}

const EQUALITIES: ReadonlySet<string> = new Set(['eq', 'neq', 'in', 'nin']);

/** Whether exactly the listed members are set. */
function flagsTest(
  { members }: EnumerationType,
  name: string,
  given: unknown,
  left: Expression,
  value: (given: unknown) => Expression,
): Expression {
  const set = members.filter((member) => member.value !== 0);
  const exactly = (list: unknown): Expression => {
    if (!Array.isArray(list)) return binary('eq', left, NULL);
    if (list.length > 0) return binary('eq', left, value(list.join(',')));
    const unset = set.map((member) => not(binary('has', left, value(member.name))));
    return joined('and', [binary('ne', left, NULL), ...unset]) ?? TRUE;
  };
  if (name === 'neq') return not(exactly(given));
  if (name === 'eq') return exactly(given);
  const any = joined('or', ((given ?? []) as readonly unknown[]).map(exactly)) ?? FALSE;
  return name === 'in' ? any : not(any);
}

function testOf(
  name: string,
  given: unknown,
  left: Expression,
  value: (given: unknown) => Expression,
): Expression {
  if (name in COMPARISONS) return binary(COMPARISONS[name as keyof typeof COMPARISONS], left, value(given));
  if (name in TEXT_TESTS) return call(TEXT_TESTS[name as keyof typeof TEXT_TESTS], left, value(given));
  if (name === 'in') return binary('in', left, list(((given ?? []) as readonly unknown[]).map(value)));
  if (name === 'has') return hasFlags(left, given, value);
  if (name === 'isNull') return given === false ? binary('ne', left, NULL) : binary('eq', left, NULL);
  return not(testOf(name.slice(1), given, left, value));
}

/** Whether all listed members are set; null if either side is (Part 2, 5.1.1.1.10). */
function hasFlags(left: Expression, given: unknown, value: (given: unknown) => Expression): Expression {
  if (given === null) return binary('has', left, value(null));
  const members = given as readonly unknown[];
  return members.length === 0 ? TRUE : binary('has', left, value(members.join(',')));
}

function behind({ segments, lambdas }: ConditionPath, name: string): ConditionPath {
  return { segments: [...segments, nameSegment(name)], lambdas };
}

function count(conditions: Conditions, what: 'nodes' | 'literals'): void {
  conditions[what] += 1;
  if (conditions[what] > conditions.limits[what]) throw beyond(what, conditions.limits[what]);
}

const WHAT = {
  nodes: 'conditions',
  literals: 'values',
  lambdaDepth: 'conditions on collections inside each other',
} as const;

/** Names the variable, for the operator who reads the error. */
function beyond(limit: keyof ConditionLimits, most: number): GatewayError {
  const { variable } = REQUEST_LIMITS.url[limit];
  return new GatewayError(
    'BadRequest',
    `where: expected at most ${most} ${WHAT[limit]} (${variable}), found more.`,
    {
      target: 'where',
      limit: variable,
    },
  );
}

/** `where` and `search`. */
export function conditionOptions(
  { shown, limits }: SelectionDependencies,
  type: EntityType,
  { where, search }: Input,
): Pick<SystemQueryOptions, 'filter' | 'search'> {
  const filter = whereExpression(shown, limits.url, type, where);
  const sought = searchExpression(search);
  return { ...(filter !== undefined && { filter }), ...(sought !== undefined && { search: sought }) };
}

/** A number of entities, given as an argument. */
export function amount(name: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0) return value;
  throw new GatewayError('BadRequest', `${name}: expected a number that is not negative, found ${value}.`, {
    target: name,
  });
}

/** `search`: all words and quoted phrases. Undefined without terms. */
function searchExpression(search: unknown): SearchExpression | undefined {
  if (typeof search !== 'string') return undefined;
  const terms = [...search.matchAll(/"([^"]*)"|([^\s"]+)/g)].flatMap(
    ([, phrase, word]): SearchExpression[] => {
      const text = (phrase ?? word ?? '').trim();
      return text === '' ? [] : [{ kind: 'term', text, position: 0 }];
    },
  );
  const [first, ...rest] = terms;
  return rest.reduce<SearchExpression | undefined>(
    (left, right) => left && { kind: 'searchAnd', left, right, position: 0 },
    first,
  );
}
