import { quote, writeLiteral } from '../../service/literal.ts';
import { type EntitySet, isComparable, type Property, propertyOf } from '../../service/metadata.ts';

/** One condition on a property. */
export interface Filter {
  readonly property: string;
  readonly operator: Operator;
  /** Empty where the operator takes none. */
  readonly value: string;
}

export type Operator = 'has' | 'starts' | 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge' | 'empty' | 'filled';

export const OPERATOR_LABELS: Readonly<Record<Operator, string>> = {
  has: 'contains',
  starts: 'starts with',
  eq: 'is',
  ne: 'is not',
  lt: 'is less than',
  le: 'is at most',
  gt: 'is more than',
  ge: 'is at least',
  empty: 'is empty',
  filled: 'is not empty',
};

const ORDER: readonly Operator[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'];

/** The operators that make sense for the property, the likeliest first. */
export function operatorsOf({ type, nullable }: Property): readonly Operator[] {
  const nullness: readonly Operator[] = nullable ? ['empty', 'filled'] : [];
  if (type.kind === 'primitive' && type.name === 'Edm.String') {
    return ['has', 'starts', 'eq', 'ne', ...nullness];
  }
  const equality: readonly Operator[] = ['eq', 'ne'];
  const hasOrder = type.kind === 'primitive' && type.name !== 'Edm.Boolean' && type.name !== 'Edm.Guid';
  return [...(hasOrder ? ORDER : equality), ...nullness];
}

export function takesValue(operator: Operator): boolean {
  return operator !== 'empty' && operator !== 'filled';
}

/** `Title.has.some text`; undefined where the entity set has no such filter. */
export function readFilter(text: string, entitySet: EntitySet): Filter | undefined {
  const [, name = '', operator = '', value = ''] = /^(\w+)\.(\w+)(?:\.(.*))?$/su.exec(text) ?? [];
  const property = propertyOf(entitySet, name);
  if (property === undefined || !isComparable(property)) return undefined;
  const known = operatorsOf(property).find((one) => one === operator);
  return known && { property: name, operator: known, value };
}

export function writeFilter({ property, operator, value }: Filter): string {
  return takesValue(operator) ? `${property}.${operator}.${value}` : `${property}.${operator}`;
}

/** The condition as an expression of $filter. Parts of texts are found whatever their case. */
export function writeFilterOption({ property, operator, value }: Filter, entitySet: EntitySet): string {
  const type = propertyOf(entitySet, property)?.type;
  if (type === undefined) return 'false';
  switch (operator) {
    case 'has':
      return `contains(tolower(${property}),${quote(value.toLowerCase())})`;
    case 'starts':
      return `startswith(tolower(${property}),${quote(value.toLowerCase())})`;
    case 'empty':
      return `${property} eq null`;
    case 'filled':
      return `${property} ne null`;
    default:
      return `${property} ${operator} ${writeLiteral(type, value)}`;
  }
}
