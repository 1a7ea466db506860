import type { Arguments } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row, Value } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import type { ListOperation, OperationParameter } from '../../model/operation.ts';
import { type ArgumentReader, argumentValue } from '../bind/argument-value.ts';
import { conjuncts } from '../query/conjuncts.ts';
import type { FixedArguments } from '../resource/loading.ts';
import type { CollectionResource } from '../resource/resource.ts';
import type { Expression } from '../tree/expression-tree.ts';
import { propertyName } from './push-down.ts';

/** The most calls that one filter may ask for. */
const MOST_CALLS = 100;

/**
 * What a filter fixes of a list's parameters (Capabilities.FilterRestrictions/RequiredProperties): the values of terms
 * `Property eq value` and `Property in (…)`, or several of them joined by `or`, that all entities must fulfil, in all combinations.
 */
export function fixedByFilter(
  reader: ArgumentReader,
  type: EntityType,
  { fixed = [] }: ListOperation,
  filter: Expression | undefined,
): FixedArguments {
  const terms = filter === undefined ? [] : conjuncts(filter);
  let combined: readonly Arguments[] = [{}];
  for (const { name, property } of fixed) {
    const values = terms.flatMap((term) => valuesOf(reader, type, property, term) ?? []);
    const [first] = values;
    if (first === undefined) return undefined;
    for (const value of first) requireAllowed(type, property, value);
    combined = combined.flatMap((before) => first.map((value) => ({ ...before, [name]: value })));
    if (combined.length > MOST_CALLS) throw tooManyCalls();
  }
  return combined;
}

/**
 * The terms of a filter but those that only fix what the list is called with: what it answers fulfils these, as they are
 * about nothing but the call. Undefined where the list has to be called more than once.
 */
export function termsBeside(
  reader: ArgumentReader,
  type: EntityType,
  { fixed = [] }: Pick<ListOperation, 'fixed'>,
  filter: Expression | undefined,
): readonly Expression[] | undefined {
  let left = filter === undefined ? [] : conjuncts(filter);
  for (const { property } of fixed) {
    const found = left.find((term) => valuesOf(reader, type, property, term) !== undefined);
    const [values = []] = (found && valuesOf(reader, type, property, found)) ?? [];
    if (values.length !== 1) return undefined;
    if (type.structuralProperties.get(property)?.argument === true)
      left = left.filter((term) => term !== found);
  }
  return left;
}

/** What the key of an entity says of the parameters of the list that it is in. */
export function fixedByKey({ fixed = [] }: ListOperation, key: Row): FixedArguments {
  const values = fixed.map(({ name, property }) => [name, key[property] ?? null] as const);
  return values.some(([, value]) => value === null) ? undefined : [Object.fromEntries(values)];
}

/** The values of a property that a term accepts; undefined where it is no term that says them. */
function valuesOf(
  reader: ArgumentReader,
  type: EntityType,
  property: string,
  term: Expression,
): readonly [readonly Value[]] | undefined {
  if (term.kind !== 'binary') return undefined;
  if (term.operator === 'or') return eitherValues(reader, type, property, term);
  const isSwapped = term.operator === 'eq' && propertyName(term.left) === undefined;
  const [subject, object] = isSwapped ? [term.right, term.left] : [term.left, term.right];
  const use = type.structuralProperties.get(property);
  if (propertyName(subject) !== property || use === undefined) return undefined;
  const written = term.operator === 'in' ? listed(object) : term.operator === 'eq' ? [object] : undefined;
  const values = written?.map((each) => literalValue(reader, use, each));
  const known = values?.filter((value) => value !== undefined && value !== null);
  return known === undefined || known.length < (values?.length ?? 0) ? undefined : [[...new Set(known)]];
}

/** What one of two conditions accepts, where both of them say it. */
function eitherValues(
  reader: ArgumentReader,
  type: EntityType,
  property: string,
  { left, right }: Extract<Expression, { kind: 'binary' }>,
): readonly [readonly Value[]] | undefined {
  const [one] = valuesOf(reader, type, property, left) ?? [];
  const [other] = one === undefined ? [] : (valuesOf(reader, type, property, right) ?? []);
  return one === undefined || other === undefined ? undefined : [[...new Set([...one, ...other])]];
}

/** What the upstream does not take is a mistake of the filter's, not a list without entities. */
function requireAllowed({ structuralProperties }: EntityType, property: string, value: Value): void {
  const allowed = structuralProperties.get(property)?.facets.allowedValues;
  if (allowed === undefined || allowed.some((each) => each === value)) return;
  const values = allowed.slice(0, 20).join(', ');
  const message = `$filter: expected ${property} to be one of ${values}${allowed.length > 20 ? ', …' : ''}`;
  throw new GatewayError('BadRequest', message, { target: '$filter' });
}

function listed(expression: Expression): readonly Expression[] | undefined {
  return expression.kind === 'list' ? expression.items : undefined;
}

function literalValue(
  reader: ArgumentReader,
  use: Parameters<typeof argumentValue>[1],
  expression: Expression,
): Value | undefined {
  try {
    return argumentValue(reader, use, expression, '$filter');
  } catch {
    // Whatever is wrong with it, the query itself says so when it is compiled.
    return undefined;
  }
}

function tooManyCalls(): GatewayError {
  const message = `$filter: expected at most ${MOST_CALLS} combinations of values for the properties that it must fix`;
  return new GatewayError('BadRequest', message, { target: '$filter' });
}

/** The error for a read of entities that nothing leads to but a filter. */
export function unfixed(
  { entityType, url }: CollectionResource,
  fixed: readonly OperationParameter[],
): GatewayError {
  const properties = fixed.map(({ property }) => property);
  const example = properties.map((name) => `${name} eq ${sample(entityType, name)}`).join(' and ');
  const message = `${decodeURIComponent(url)}: expected a $filter that fixes ${properties.join(' and ')}, such as $filter=${example}`;
  return new GatewayError('BadRequest', message, { target: '$filter' });
}

function sample({ structuralProperties }: EntityType, property: string): string {
  const name = structuralProperties.get(property)?.type.name ?? '';
  return /Int|Decimal|Double|Single|Byte/.test(name) ? '1' : name === 'Edm.String' ? "'x'" : '…';
}
