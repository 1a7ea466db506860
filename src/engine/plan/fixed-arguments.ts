import type { Arguments } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row, Value } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import type { ListOperation } from '../../model/operation.ts';
import type { ArgumentReader } from '../bind/argument-value.ts';
import { conjuncts } from '../query/pipeline.ts';
import type { FixedArguments } from '../resource/read-needs.ts';
import type { Expression } from '../tree/query-tree.ts';
import { equality, literalValue, propertyName } from './conditions.ts';

/** The most calls that one filter may ask for. */
const MOST_CALLS = 100;

/**
 * The parameters of a list that a filter fixes (Capabilities.FilterRestrictions/RequiredProperties): the values of terms
 * `Property eq value` and `Property in (…)`, or several of them joined by `or`, that all entities must meet, in all
 * combinations.
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
    for (const value of first) assertAllowed(type, property, value);
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

/** The parameters of a list that the key of one of its entities fixes. */
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
  const use = type.structuralProperties.get(property);
  const { name, equal } = equality(term) ?? { name: propertyName(term.left), equal: undefined };
  const written = equal === undefined ? listed(term) : [equal];
  if (name !== property || use === undefined || written === undefined) return undefined;
  const values = written.map((each) => literalValue(reader, use, each));
  const known = values.filter((value) => value !== undefined && value !== null);
  return known.length < values.length ? undefined : [[...new Set(known)]];
}

type BinaryExpression = Extract<Expression, { kind: 'binary' }>;

/** The values that one of two conditions accepts. */
function eitherValues(
  reader: ArgumentReader,
  type: EntityType,
  property: string,
  { left, right }: BinaryExpression,
): readonly [readonly Value[]] | undefined {
  const [one] = valuesOf(reader, type, property, left) ?? [];
  const [other] = one === undefined ? [] : (valuesOf(reader, type, property, right) ?? []);
  return one === undefined || other === undefined ? undefined : [[...new Set([...one, ...other])]];
}

/** Throws for a value that the upstream does not take: that is a mistake of the filter, not an empty list. */
function assertAllowed({ structuralProperties }: EntityType, property: string, value: Value): void {
  const allowed = structuralProperties.get(property)?.facets.allowedValues;
  if (allowed === undefined || allowed.some((each) => each === value)) return;
  const values = allowed.slice(0, 20).join(', ');
  const message = `$filter: expected ${property} to be one of ${values}${allowed.length > 20 ? ', …' : ''}`;
  throw new GatewayError('BadRequest', message, { target: '$filter' });
}

/** The items of a term with `in`. */
function listed({ operator, right }: BinaryExpression): readonly Expression[] | undefined {
  return operator === 'in' && right.kind === 'list' ? right.items : undefined;
}

function tooManyCalls(): GatewayError {
  const message = `$filter: expected at most ${MOST_CALLS} combinations of values for the properties that it must fix`;
  return new GatewayError('BadRequest', message, { target: '$filter' });
}
