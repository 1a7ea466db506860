import type { OperationParameter } from '../../operation.ts';
import type { DocumentOperation, PathSegment } from '../document/document-operation.ts';
import type { NamedProperty } from '../edm-types/structural-property.ts';
import { meshName } from '../mesh-name.ts';
import type { Schema } from '../schemas/schema.ts';
import { parameterProperty } from '../sets/entity-key.ts';
import type { EntityPlan } from '../sets/entity-plan.ts';

/**
 * A path of the document that leads to one entity, and the resource path that it stands for:
 * `/orders/{id}/items/{itemId}` is `Order/Items` with two keys.
 */
export interface Place {
  /** Names without keys. */
  readonly resource: string;
  readonly entity: EntityPlan;
  readonly segments: readonly PathSegment[];
  /** What fills the path's parameters, in their order. */
  readonly slots: readonly Slot[];
  /** How many entities the resource path has. */
  readonly length: number;
}

/** A path parameter and the key property that fills it. */
interface Slot {
  readonly parameter: string;
  readonly property: NamedProperty;
  readonly schema: Schema;
  /** The position of its entity in the resource path, from 1. */
  readonly level: number;
}

/** The place of the entities that an operation reads by key, below another place or at the top. */
export function placeOf(
  resource: string,
  entity: EntityPlan,
  read: DocumentOperation,
  parent: Place | undefined,
): Place {
  const level = (parent?.length ?? 0) + 1;
  const own = entity.key.flatMap(({ parameter, property }) =>
    parameter === undefined ? [] : [{ parameter, property, schema: entity.schema, level }],
  );
  const above = parent?.slots ?? [];
  const parameters = read.segments.flatMap((segment) => (segment.kind === 'parameter' ? [segment.name] : []));
  const slots = parameters.flatMap(
    (name, index) => above[index] ?? own.find(({ parameter }) => parameter === name) ?? [],
  );
  return { resource, entity, segments: read.segments, slots, length: level };
}

/** What fills an operation's path parameters at a place; undefined where its path does not lead through it. */
export function fillParameters(
  place: Place,
  { segments }: DocumentOperation,
  level = place.length,
): readonly OperationParameter[] | undefined {
  if (segments.length < place.segments.length) return undefined;
  const filled: OperationParameter[] = [];
  for (const [index, segment] of place.segments.entries()) {
    const given = segments[index];
    if (segment.kind === 'literal' || given?.kind !== 'parameter') {
      if (!isSameLiteral(segment, given)) return undefined;
      continue;
    }
    const slot = place.slots[filled.length];
    if (slot === undefined || !fits(slot, given.name)) return undefined;
    const up = level - slot.level;
    filled.push({ name: meshName(given.name), property: slot.property.name, ...(up === 0 ? {} : { up }) });
  }
  return filled;
}

function isSameLiteral(segment: PathSegment, given: PathSegment | undefined): boolean {
  return segment.kind === 'literal' && given?.kind === 'literal' && segment.text === given.text;
}

/** A path may call the key by another name than the entity's own path does, if the name still says it. */
function fits(slot: Slot, parameter: string): boolean {
  return (
    slot.parameter === parameter || parameterProperty(slot.schema, [slot.property], parameter) !== undefined
  );
}
