import type { Value } from '../../../contract/entity-source.ts';
import type { EntityType, Model } from '../../../model/edm.ts';
import type { InsertOperation } from '../../../model/operation.ts';
import type { StructuralProperty } from '../../../model/structured-type.ts';
import { isComparable } from '../../../model/type-use.ts';
import type { EntityBody } from '../../payload/body/entity-body.ts';
import { extendedBody } from '../../payload/body/request-body.ts';
import { parsePrimitive } from '../../query/values/primitive.ts';

/**
 * A new entity with what its client may leave out and the upstream must have: the default, null or an empty
 * collection (Part 1, 11.4.2). Bytes that are forwarded verbatim stay as they are.
 */
export function withOmitted(
  model: Model,
  declared: EntityType,
  { verbatim, requiredProperties = [] }: InsertOperation,
  body: EntityBody,
): EntityBody {
  const { structuralProperties } = body.entityType;
  const omitted = requiredProperties.flatMap((name) => {
    const property = structuralProperties.get(name);
    const value = property === undefined || property.computed ? undefined : defaultOf(property);
    return value === undefined || body.values[name] !== undefined ? [] : [[name, value] as const];
  });
  if (verbatim || omitted.length === 0) return body;
  const { nested, bindings } = body;
  return {
    ...extendedBody(model, declared, body, { values: Object.fromEntries(omitted), nested }),
    bindings,
  };
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
