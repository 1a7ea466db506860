import { type Row, TYPE, type Value } from '../../../contract/entity-source.ts';
import type { EntityType, Model } from '../../../model/edm.ts';
import type { InsertOperation } from '../../../model/operation.ts';
import type { StructuralProperty, StructuredType } from '../../../model/structured-type.ts';
import { isComparable } from '../../../model/type-use.ts';
import type { EntityBody } from '../../payload/body/entity-body.ts';
import { extendedBody } from '../../payload/body/extended-body.ts';
import { parsePrimitive } from '../../query/values/primitive.ts';

/** A create, or a change that creates what is not there. */
type Creation = Pick<InsertOperation, 'requiredProperties'> & { readonly verbatim?: boolean };

/**
 * A new entity with what its client may leave out and the upstream must have: the default, null or an empty
 * collection (Part 1, 11.4.2), also within complex values. Bytes that are forwarded verbatim stay as they are.
 */
export function withOmitted(
  model: Model,
  declared: EntityType,
  { verbatim, requiredProperties = [] }: Creation,
  body: EntityBody,
): EntityBody {
  if (verbatim) return body;
  const { entityType, nested, bindings, values: said } = body;
  const values = withRequired(model, entityType, { requiredProperties }, said);
  return values === said ? body : { ...extendedBody(model, declared, body, { values, nested }), bindings };
}

/** The values of a whole entity, with what the upstream must have. */
export function withRequired(
  model: Model,
  type: EntityType,
  { requiredProperties = [] }: Pick<Creation, 'requiredProperties'>,
  values: Row,
): Row {
  const { structuralProperties: inherited } = rootOf(model, type);
  const own = [...type.structuralProperties.values()]
    .filter(({ name, required }) => required && !inherited.has(name))
    .map(({ name }) => name);
  return filled(model, type, values, new Set([...requiredProperties, ...own]));
}

/** The type that the operation's own schema is about. */
function rootOf(model: Model, type: EntityType): EntityType {
  const base = model.entityTypes.get(type.baseType ?? '');
  return base === undefined ? type : rootOf(model, base);
}

/** The same row where nothing is to be added, at any depth. */
function filled(model: Model, type: StructuredType, row: Row, required: ReadonlySet<string>): Row {
  const entries = [...type.structuralProperties.values()].flatMap((property): [string, Value][] => {
    const { name, computed } = property;
    const said = row[name];
    if (said !== undefined) {
      const value = filledValue(model, property, said);
      return value === said ? [] : [[name, value]];
    }
    const value = computed || !required.has(name) ? undefined : defaultOf(property);
    return value === undefined ? [] : [[name, value]];
  });
  return entries.length === 0 ? row : { ...row, ...Object.fromEntries(entries) };
}

/** A new value of a property, whose complex values have what the upstream must have. */
export function filledValue(model: Model, { type: { name } }: StructuralProperty, value: Value): Value {
  const declared = model.complexTypes.get(name);
  return declared === undefined ? value : filledComplex(model, declared, value);
}

function filledComplex(model: Model, declared: StructuredType, value: Value): Value {
  if (Array.isArray(value)) {
    const items = value.map((item) => filledComplex(model, declared, item));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const row = value as Row;
  const type = model.complexTypes.get(row[TYPE] ?? '') ?? declared;
  const required = [...type.structuralProperties.values()].filter((property) => property.required);
  return filled(model, type, row, new Set(required.map((property) => property.name)));
}

/** What goes for a property of which nobody says anything; undefined where a value has to be said. */
export function defaultOf({
  type,
  collection,
  nullable,
  defaultValue,
}: StructuralProperty): Value | undefined {
  if (collection) return [];
  if (defaultValue === undefined || type.kind === 'complex') return nullable ? null : undefined;
  return type.kind === 'primitive' && isComparable(type.name)
    ? parsePrimitive(type.name, defaultValue)
    : defaultValue;
}
