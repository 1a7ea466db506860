import type { OperationParameter } from '../../operation.ts';
import { isKeyParameter, otherKeyProperty } from '../edm-types/entity-key.ts';
import type { EntityPlan } from '../edm-types/entity-plan.ts';
import type { NamedProperty } from '../edm-types/structural-property.ts';
import { meshName } from '../names/mesh-name.ts';
import type { DocumentOperation, PathSegment } from '../operations/document-operation.ts';

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
  /** Its name in the path that the entity is read by; undefined where nothing reads it. */
  readonly parameter: string | undefined;
  readonly property: NamedProperty;
  readonly entity: EntityPlan;
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
    parameter === undefined ? [] : [{ parameter, property, entity, level }],
  );
  const above = parent?.slots ?? [];
  const parameters = read.segments.flatMap((segment) => (segment.kind === 'parameter' ? [segment.name] : []));
  const slots = parameters.flatMap(
    (name, index) => above[index] ?? own.find(({ parameter }) => parameter === name) ?? [],
  );
  return { resource, entity, segments: read.segments, slots, length: level };
}

/** The place of entities that are only listed: each is found by the one property of its key. Undefined for other keys. */
export function listedPlaceOf(
  resource: string,
  entity: EntityPlan,
  list: DocumentOperation,
  parent: Place | undefined,
): Place | undefined {
  const [part, ...others] = entity.key;
  if (part === undefined || others.length > 0) return undefined;
  const level = (parent?.length ?? 0) + 1;
  const slot = { parameter: undefined, property: part.property, entity, level };
  const segments: readonly PathSegment[] = [...list.segments, { kind: 'parameter', name: '' }];
  return { resource, entity, segments, slots: [...(parent?.slots ?? []), slot], length: level };
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
    const property = slot && fillingProperty(slot, given.name, collectionBefore(segments, index));
    if (slot === undefined || property === undefined) return undefined;
    const up = level - slot.level;
    filled.push({ name: meshName(given.name), property: property.name, ...(up === 0 ? {} : { up }) });
  }
  return filled;
}

function isSameLiteral(segment: PathSegment, given: PathSegment | undefined): boolean {
  return segment.kind === 'literal' && given?.kind === 'literal' && segment.text === given.text;
}

function collectionBefore(segments: readonly PathSegment[], index: number): string | undefined {
  const before = segments[index - 1];
  return before?.kind === 'literal' ? before.text : undefined;
}

/**
 * A parameter at the place where the entity's own path has one means the same, whatever it is called, unless it is named
 * like another property than the key: `{projectId}` where projects are read by `{projectIdOrKey}` and have `key` for that.
 * Where no path reads the entity, the parameter's name has to say it.
 */
function fillingProperty(
  { parameter, property, entity: { schema, properties } }: Slot,
  given: string,
  collection: string | undefined,
): NamedProperty | undefined {
  const isKey = isKeyParameter(schema, property, given, collection);
  if (isKey || parameter === given) return property;
  const otherwise = parameter === undefined ? undefined : property;
  return otherKeyProperty(schema, properties, given, collection) ?? otherwise;
}
