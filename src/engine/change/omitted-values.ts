import { type Row, TYPE, type Value } from '../../contract/row.ts';
import type { EntityType, StructuralProperty, StructuredType } from '../../model/edm.ts';
import { typeNamed } from '../../model/edm.ts';
import type { InsertOperation, SentType } from '../../model/operation.ts';
import { sentAs, sentWithin, takenProperties } from '../../model/sent-type.ts';
import { isComparable } from '../../model/type-use.ts';
import type { EntityInput } from '../input/entity-input.ts';
import { parsePrimitive } from '../values/primitive.ts';
import { extendedInput } from './extended-input.ts';

/** A create, or a change that creates what is not there. */
type Creation = Pick<InsertOperation, 'sent'> & { readonly verbatim?: boolean };

/**
 * A new entity with what its client may leave out and the upstream must have: the default, null or an empty
 * collection (Part 1, 11.4.2), also within complex values. Bytes that are forwarded verbatim stay as they are.
 */
export function withOmitted({ verbatim, sent }: Creation, body: EntityInput): EntityInput {
  if (verbatim) return body;
  const { entityType, nested, bindings, values: said } = body;
  const values = withRequired(entityType, { sent }, said);
  return values === said ? body : { ...extendedInput(body, { values, nested }), bindings };
}

/** The values of a whole entity, with what the upstream must have. */
export function withRequired(type: EntityType, { sent }: Pick<Creation, 'sent'>, values: Row): Row {
  return filled(type, sent, values);
}

/** The row with what was omitted in it, at any depth; the row itself where nothing is to be added. */
function filled(type: StructuredType, sent: SentType | undefined, row: Row): Row {
  const own = sentAs(sent, type);
  const entries = [...takenProperties(type, own).values()].flatMap((property): [string, Value][] => {
    const { name, required } = property;
    const said = row[name];
    if (said !== undefined) {
      const value = filledValue(property, sentWithin(own, property), said);
      return value === said ? [] : [[name, value]];
    }
    const value = required ? defaultOf(property) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return entries.length === 0 ? row : { ...row, ...Object.fromEntries(entries) };
}

/** A new value of a property, whose complex values have what the upstream must have. */
export function filledValue({ type }: StructuralProperty, sent: SentType | undefined, value: Value): Value {
  return type.kind === 'complex' ? filledComplex(type, sent, value) : value;
}

function filledComplex(declared: StructuredType, sent: SentType | undefined, value: Value): Value {
  if (Array.isArray(value)) {
    const items = value.map((item) => filledComplex(declared, sent, item));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const row = value as Row;
  return filled(typeNamed(declared, row[TYPE] ?? '') ?? declared, sent, row);
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
